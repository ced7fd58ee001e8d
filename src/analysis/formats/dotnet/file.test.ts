import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { type DotnetFile, parseDotnet } from './file.ts';
import { readBody } from './il.ts';
import { memberOf, typeName } from './members.ts';
import { resourcesOf, valuesOf } from './resources.ts';
import { TABLE } from './schema.ts';
import { typeLibraryId } from './traits.ts';

/** The output of the runtime's reflection for a fixture. */
interface Expected {
  readonly name: string;
  readonly version: string;
  readonly module: string;
  readonly mvid: string;
  readonly runtime: string;
  readonly entryPoint: number;
  readonly references: readonly object[];
  readonly types: readonly object[];
  readonly methods: readonly { token: number; size: number | null; sha256: string | null }[];
  readonly fields: readonly object[];
  readonly resources: readonly object[];
}

function expected(name: string): Expected {
  const folder = new URL('../../../../test/fixtures/analysis/dotnet/', import.meta.url);
  return JSON.parse(readFileSync(new URL(`${name}.out.json`, folder), 'utf8')) as Expected;
}

function parsed(name: string): DotnetFile {
  const file = parseDotnet(fixture(`analysis/dotnet/${name}`));
  assert.ok(file);
  return file;
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

for (const name of ['settings', 'loader']) {
  describe(`what is read of the .NET fixture "${name}" agrees with the runtime`, () => {
    const file = parsed(name);
    const known = expected(name);

    it('on assembly, module and entry point', () => {
      assert.deepEqual(file.assembly, { name: known.name, version: known.version });
      assert.deepEqual(file.module, { name: known.module, mvid: known.mvid });
      assert.equal(file.metadata.version, known.runtime);
      assert.equal(file.entryPoint, known.entryPoint);
      assert.deepEqual(file.references, known.references);
      assert.deepEqual(file.oddities, []);
      assert.deepEqual(file.truncated, []);
    });

    it('on types, after the global one', () => {
      assert.equal(file.types[0]?.name, '<Module>');
      assert.deepEqual(file.types.slice(1), known.types);
    });

    it('on methods and the bytes of their code', () => {
      const methods = file.methods.map(({ token, name, type, isStatic, bodyOffset }) => {
        const body = bodyOffset === undefined ? undefined : readBody(file.image.reader, bodyOffset);
        return {
          token,
          type,
          name,
          static: isStatic,
          size: body?.code.length ?? null,
          sha256: body === undefined ? null : sha256(body.code),
        };
      });
      assert.deepEqual(methods, known.methods);
    });

    it('on fields', () => {
      const fields = file.fields.map(({ token, type, name, isStatic }) => ({
        token,
        type,
        name,
        static: isStatic,
      }));
      assert.deepEqual(fields, known.fields);
    });

    it('on resources', () => {
      const resources = resourcesOf(file).map(({ name, bytes }) => ({
        name,
        size: bytes.length,
        sha256: sha256(bytes),
      }));
      assert.deepEqual(resources, known.resources);
    });
  });
}

describe('a .NET file', () => {
  it('has the GUID of its type library', () => {
    assert.equal(typeLibraryId(parsed('settings')), '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0');
    assert.equal(typeLibraryId(parsed('loader')), undefined);
  });

  it('names members of other assemblies, of generic types and through instances of methods', () => {
    const file = parsed('settings');
    const { tables } = file.metadata;
    const names = (table: number) =>
      Array.from({ length: tables.count(table) }, (_, index) => {
        const member = memberOf(file, (table << 24) | (index + 1));
        return `${member?.type}::${member?.name}`;
      });
    assert.ok(
      names(TABLE.memberRef).includes('System.Security.Cryptography.Rfc2898DeriveBytes::.ctor'),
    );
    assert.ok(names(TABLE.memberRef).includes('System.Collections.Generic.Dictionary`2::.ctor'));
    assert.deepEqual(names(TABLE.methodSpec), ['Client.Derived/Inner::Same']);
  });

  it('has no name for missing rows', () => {
    const file = parsed('settings');
    for (const table of [0x01, 0x02, 0x04, 0x06, 0x0a, 0x1b, 0x2b, 0x70]) {
      assert.equal(memberOf(file, ((table << 24) | 0xffffff) >>> 0)?.name ?? '', '');
      assert.equal(typeName(file, ((table << 24) | 0xffffff) >>> 0), '');
    }
  });

  it('has the byte arrays and streams of its *.resources', () => {
    const values = resourcesOf(parsed('loader')).flatMap(valuesOf);
    assert.deepEqual(
      values.map(({ name, bytes }) => [name, bytes.length]),
      [
        ['payload', fixture('analysis/dotnet/settings').length],
        ['stream', 5],
      ],
    );
    assert.equal(values[0]?.bytes.compare(fixture('analysis/dotnet/settings')), 0);
    for (const { offset, bytes } of values) {
      const there = fixture('analysis/dotnet/loader').subarray(offset, offset + bytes.length);
      assert.equal(there.compare(bytes), 0);
    }
  });

  it('is not recognised in other files', () => {
    for (const text of ['', 'MZ', 'MZ'.padEnd(200, '\0'), 'text']) {
      assert.equal(parseDotnet(Buffer.from(text)), undefined);
    }
  });
});
