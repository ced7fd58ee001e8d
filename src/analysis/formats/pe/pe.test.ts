import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inspect } from '../../../../test/analysis/findings.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import type { PeFile } from './file.ts';
import { parsePe, pe } from './pe.ts';

const NAMES = [
  'tiny',
  'hello32',
  'hello64',
  'library',
  'injector',
  'runtime',
  'signed',
  'signed-sha1',
  'signed-hidden',
  'changed',
  'overlay',
  'rich',
  'delayed',
  'driver',
];

/** The output of pefile, recorded by the generator of the fixtures. */
const expected = JSON.parse(
  readFileSync(
    new URL('../../../../test/fixtures/analysis/pe/expected.json', import.meta.url),
    'utf8',
  ),
);

function sample(name: string): Buffer {
  return fixture(`analysis/pe/${name}`);
}

function parsed(name: string): PeFile {
  const file = parsePe(sample(name));
  assert.ok(file);
  return file;
}

function namesOf(libraries: PeFile['imports']) {
  return libraries.map(({ library, functions }) => ({
    library,
    functions: functions.map(({ name }) => name),
  }));
}

async function tagsOf(name: string): Promise<readonly string[]> {
  return [...(await inspect(pe, sample(name))).tags.keys()].sort();
}

describe('parsePe', () => {
  for (const name of NAMES) {
    it(`reads ${name} as pefile does`, () => {
      const file = parsed(name);
      const values = expected.files[name];
      assert.equal(file.imphash ?? '', values.imphash);
      assert.equal(file.rich?.hash ?? '', values.richHash);
      assert.deepEqual(namesOf(file.imports), values.imports);
      assert.deepEqual(namesOf(file.delayImports), values.delayImports);
      assert.equal(file.debug.pdbPath ?? '', values.pdbPath);
      assert.deepEqual(file.exports?.names ?? [], values.exports);
      assert.deepEqual(
        file.sections.map((section) => ({
          ...section,
          entropy: Number((section.entropy ?? 0).toFixed(6)),
        })),
        values.sections,
      );
      assert.deepEqual(file.resources, values.resources);
      assert.deepEqual(file.version?.strings ?? {}, values.version);
      assert.equal(file.computedChecksum, values.checksum);
      for (const key of ['entryPoint', 'imageBase', 'machine', 'timestamp', 'subsystem'] as const) {
        assert.equal(file[key], values[key], key);
      }
    });
  }

  it('names the ordinals of ws2_32 and oleaut32', () => {
    const names = parsed('hello32').imports.flatMap(({ functions }) =>
      functions.filter(({ ordinal }) => ordinal !== undefined).map(({ name }) => name),
    );
    assert.deepEqual(names.sort(), ['SysAllocString', 'SysFreeString', 'WSACleanup', 'WSAStartup']);
  });

  it('reads the manifest and the fixed version', () => {
    const file = parsed('hello64');
    assert.equal(file.executionLevel, 'requireAdministrator');
    assert.equal(file.version?.fileVersion, '1.2.3.4');
  });

  it('maps addresses to offsets, and to nothing outside of the file', () => {
    const file = parsed('hello32');
    const [text] = file.sections;
    assert.ok(text);
    assert.equal(file.rvaToOffset(text.virtualAddress + 4), text.rawOffset + 4);
    assert.equal(file.rvaToOffset(0x7fff_0000), undefined);
  });

  it('recognises an overlay, which excludes certificates and symbols', () => {
    const whole = sample('overlay');
    const { overlay } = parsed('overlay');
    assert.ok(overlay);
    assert.equal(whole.toString('latin1', overlay.offset, overlay.offset + 2), 'PK');
    assert.equal(overlay.offset + overlay.size, whole.length);
    for (const name of ['tiny', 'signed', 'runtime']) assert.equal(parsed(name).overlay, undefined);
  });

  it('recognises a copied rich header by its checksum', () => {
    assert.equal(parsed('rich').rich?.isChecksumRight, true);
    const bytes = sample('rich');
    bytes[0x50] = (bytes[0x50] ?? 0) ^ 1;
    assert.equal(parsePe(bytes)?.rich?.isChecksumRight, false);
  });

  it('returns nothing for other files', () => {
    assert.equal(parsePe(Buffer.alloc(0)), undefined);
    assert.equal(parsePe(Buffer.from('MZ')), undefined);
    assert.equal(parsePe(Buffer.from('PK\x03\x04')), undefined);
  });
});

describe('the format pe', () => {
  it('tags kind and width', async () => {
    assert.ok((await tagsOf('hello32')).includes('PE32'));
    const library = await tagsOf('library');
    assert.ok(library.includes('PE64') && library.includes('DLL'));
    assert.ok((await tagsOf('driver')).includes('DRIVER'));
  });

  it('does not tag a plain console program as suspicious', async () => {
    const { tags } = await inspect(pe, sample('runtime'));
    assert.deepEqual([...tags.keys()].sort(), ['PE64', 'TLS_CALLBACKS']);
  });

  it('tags injection and hollowing by combinations of imports, and names the functions', async () => {
    const { tags } = await inspect(pe, sample('injector'));
    assert.equal(
      tags.get('PROCESS_INJECTION')?.note,
      'OpenProcess, VirtualAllocEx, WriteProcessMemory, CreateRemoteThread',
    );
    assert.ok(Number(tags.get('PROCESS_INJECTION')?.offset) > 0);
    assert.ok(tags.has('PROCESS_HOLLOWING'));
    assert.ok(tags.has('ANTI_DEBUG'));
  });

  it('nests programs and archives in resources', async () => {
    const { tags, nested } = await inspect(pe, sample('hello32'));
    assert.ok(
      tags.has('RESOURCE_PE') && tags.has('RESOURCE_ARCHIVE') && tags.has('REQUIRES_ADMIN'),
    );
    assert.deepEqual(nested.map(({ name }) => name).sort(), ['RCDATA/101', 'RCDATA/102']);
    const program = nested.find(({ name }) => name === 'RCDATA/102');
    assert.deepEqual(program?.bytes, sample('tiny'));
  });

  it('nests an appended archive', async () => {
    const { tags, nested } = await inspect(pe, sample('overlay'));
    assert.ok(tags.has('OVERLAY'));
    assert.deepEqual(
      nested.map(({ name }) => name),
      ['overlay'],
    );
  });

  it('nests nothing when the budget is exhausted', async () => {
    const { nested, limits } = await inspect(pe, sample('hello32'), { members: 1 });
    assert.equal(nested.length, 1);
    assert.deepEqual(limits, ['members']);
  });

  it('distinguishes valid from invalid signatures', async () => {
    const signed = await tagsOf('signed');
    assert.ok(signed.includes('SIGNED') && signed.includes('SELF_SIGNED'));
    assert.ok(!signed.includes('SIGNATURE_INVALID'));
    assert.ok((await tagsOf('changed')).includes('SIGNATURE_INVALID'));
  });

  it('recognises packers by their sections', async () => {
    const bytes = sample('tiny');
    const { sectionTableOffset } = parsed('tiny');
    bytes.write('UPX0\0\0\0\0', sectionTableOffset, 'latin1');
    bytes.writeUInt32LE(0xe000_0020, sectionTableOffset + 36);
    const { tags } = await inspect(pe, bytes);
    for (const tag of ['UPX', 'PACKED', 'WRITABLE_CODE']) assert.ok(tags.has(tag), tag);
  });

  it('recognises a compressed or encrypted code section', async () => {
    const bytes = sample('runtime');
    const [text] = parsed('runtime').sections;
    assert.ok(text);
    // A linear congruential generator replaces ciphertext, for reproducible runs.
    let state = 1;
    for (let at = 0; at < text.rawSize; at++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      bytes[text.rawOffset + at] = state >>> 24;
    }
    const { tags } = await inspect(pe, bytes);
    assert.equal(tags.get('HIGH_ENTROPY_SECTION')?.offset, text.rawOffset);
  });

  it('distinguishes DOS programs from broken ones', async () => {
    const plain = Buffer.alloc(0x80);
    plain.write('MZ');
    assert.deepEqual([...(await inspect(pe, plain)).tags.keys()], ['DOS_EXECUTABLE']);
    const broken = sample('tiny');
    broken.writeUInt32LE(0xffff_fff0, 0x3c);
    assert.deepEqual([...(await inspect(pe, broken)).tags.keys()], ['MALFORMED_PE']);
    const { tags } = await inspect(pe, Buffer.from('MZ'));
    assert.equal(tags.size, 1);
  });

  it('reports facts for researchers', async () => {
    const { allFacts } = await inspect(pe, sample('hello32'));
    assert.equal(allFacts['machine'], 'i386');
    assert.equal(allFacts['subsystem'], 'windows-console');
    assert.equal(allFacts['imphash'], expected.files['hello32'].imphash);
    assert.match(String(allFacts['authentihash']), /^[0-9a-f]{64}$/);
    assert.equal(JSON.stringify(allFacts), JSON.stringify(structuredClone(allFacts)));
  });

  it('returns for any input, with bounded facts', async () => {
    for (const name of ['hello32', 'hello64', 'signed', 'rich']) {
      const property = fc.asyncProperty(hostileVariants(sample(name)), async (bytes) => {
        const { allFacts } = await inspect(pe, bytes);
        assert.ok(JSON.stringify(allFacts).length < 60_000);
      });
      await fc.assert(property, fuzzSettings());
    }
  });
});
