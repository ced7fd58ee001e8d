import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { wireAnalysis } from '../../../test/builders.ts';
import type { ImportLine } from '../../operations/samples/import-samples.ts';
import { serializers } from '../responses/present.ts';
import { readAnalysisLines } from './analysis-lines.ts';

async function read(text: string | Uint8Array, from?: number): Promise<ImportLine[]> {
  return Array.fromAsync(readAnalysisLines(inPieces(Buffer.from(text)), from));
}

async function* inPieces(bytes: Buffer, length = bytes.length): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += length)
    yield bytes.subarray(start, start + length);
}

async function readOne(text: string | Uint8Array): Promise<ImportLine> {
  const [line] = await read(text);
  assert.ok(line !== undefined);
  return line;
}

/** A line with this instead of its member `configs`. */
function withConfigs(json: string): string {
  return JSON.stringify(wireAnalysis('a file', { configs: {} })).replace(
    '"configs":{}',
    `"configs":${json}`,
  );
}

function problemsOf(members: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  return readOne(JSON.stringify({ ...wireAnalysis('a file'), ...members })).then(
    ({ problems }) => problems,
  );
}

describe('a line of an import', () => {
  it('becomes an analysis that is returned unchanged', async () => {
    const wire = wireAnalysis('a file');
    const { report, problems } = await readOne(JSON.stringify(wire));
    assert.ok(report !== undefined);
    assert.deepEqual(JSON.parse(serializers.analysis(report)), wire);
    assert.deepEqual(problems, []);
  });

  it('may have digests in capitals', async () => {
    const wire = wireAnalysis('a file');
    const { report } = await readOne(
      JSON.stringify({ ...wire, sha256Hash: wire.sha256Hash.toUpperCase() }),
    );
    assert.equal(report?.sha256, wire.sha256Hash);
  });

  it('is refused with all problems at once', async () => {
    const problems = await problemsOf({
      date: '2026-02-30T10:00:00Z',
      tags: [{ heat: 11, name: 'x' }],
      mD5Hash: 'xyz',
      sizeInBytes: -1,
      family: 'x',
    });
    assert.deepEqual(
      problems.map((text) => text.split(' ')[0]),
      ['date', 'tags', 'mD5Hash', 'sizeInBytes', '"family"'],
    );
  });

  it('is refused with the names of missing members', async () => {
    const { problems } = await readOne('{}');
    assert.equal(problems.length, 12);
    for (const problem of problems) assert.match(problem, / is missing; it must be /);
  });

  for (const date of [
    '0000-01-01T10:00:00Z',
    '2026-08-26',
    '2026-08-26T10:00:00',
    '2026-08-26T10:00:00.000Z',
    '2026-08-26T10:00:00+00:00',
    '2026-02-30T10:00:00Z',
    '2026-08-26T24:00:00Z',
    1,
  ]) {
    it(`has no date of ${JSON.stringify(date)}`, async () => {
      assert.match((await problemsOf({ date })).join(), /^date must be a UTC time/);
    });
  }

  for (const tags of [
    {},
    [{ heat: 0, name: 'x' }],
    [{ heat: 1.5, name: 'x' }],
    [{ heat: 1, name: '' }],
    [{ heat: 1, name: 'a\nb' }],
    [{ heat: 1, name: 'x'.repeat(65) }],
    [{ heat: 1, name: 'x', rule: 'y' }],
    [{ name: 'x' }],
    ['x'],
    Array(65).fill({ heat: 1, name: 'x' }),
  ]) {
    it(`has no tags like ${JSON.stringify(tags).slice(0, 40)}`, async () => {
      assert.match((await problemsOf({ tags })).join(), /^tags must be a list/);
    });
  }

  it('measures the name of a tag in characters, as a feed does', async () => {
    assert.deepEqual(await problemsOf({ tags: [{ heat: 1, name: '💀'.repeat(64) }] }), []);
    assert.equal((await problemsOf({ tags: [{ heat: 1, name: '💀'.repeat(65) }] })).length, 1);
  });

  it('may have settings of any content', async () => {
    const configs = { LANTERN: { C2s: ['a'], deep: { a: [null, true, 1.5, { b: '' }] }, '': 0 } };
    const { report } = await readOne(withConfigs(JSON.stringify(configs)));
    assert.deepEqual(report?.configs, configs);
  });

  it('may have settings that are called like members of a prototype', async () => {
    const json = '{"LANTERN":{"constructor":{"prototype":1},"toString":"x","hasOwnProperty":null}}';
    const { report } = await readOne(withConfigs(json));
    assert.equal(JSON.stringify(report?.configs), json);
  });

  for (const json of [
    '{"__proto__":{"a":1}}',
    '{"LANTERN":{"__proto__":{"a":1}}}',
    '{"LANTERN":{"deep":[{"__proto__":{"a":1}}]}}',
  ]) {
    it(`is refused if it has a member called __proto__: ${json}`, async () => {
      const { report, problems } = await readOne(withConfigs(json));
      assert.equal(report, undefined);
      assert.match(problems.join(), /^configs must be an object/);
      assert.equal(Object.hasOwn(Object.prototype, 'a'), false);
    });
  }

  for (const json of [
    'null',
    '[]',
    '"x"',
    '{"LANTERN":1}',
    '{"LANTERN":[]}',
    '{"LANTERN":null}',
    '{"":{}}',
    '{"a\\nb":{}}',
    `{"${'x'.repeat(65)}":{}}`,
  ]) {
    it(`has no settings like ${json.slice(0, 40)}`, async () => {
      const { problems } = await readOne(withConfigs(json));
      assert.match(problems.join(), /^configs must be an object/);
    });
  }

  it('may have settings thirty-two levels deep', async () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    const configs = (depth: number) => ({ LANTERN: { value: nested(depth) } });
    assert.deepEqual(await problemsOf({ configs: configs(31) }), []);
    assert.match(String(await problemsOf({ configs: configs(32) })), /^configs must be an object/);
  });

  it('is refused if its settings are nested too deeply to be serialized', async () => {
    const tower = `{"LANTERN":{"x":${'['.repeat(40_000)}${']'.repeat(40_000)}}}`;
    const { problems } = await readOne(withConfigs(tower));
    assert.match(
      problems.join(),
      /^(?:configs must be an object|a line must have .* at most 64 levels deep)/,
    );
  });

  it('is refused unparsed if it has very many values', async () => {
    const { report, problems } = await readOne(
      withConfigs(`{"LANTERN":{"x":[${'{},'.repeat(50_000)}{}]}}`),
    );
    assert.equal(report, undefined);
    assert.deepEqual(problems, ['a line must have at most 50000 values.']);
  });

  it('names a few of very many unknown members', async () => {
    const members = Array.from({ length: 10_000 }, (_, index) => `"a${index}":1`).join();
    const { problems } = await readOne(`{${members}}`);
    assert.ok(problems.join().length < 2500, problems.join().slice(0, 200));
    assert.match(problems.join(), /"a15" \(and 9984 more\) is not known here/);
  });

  for (const text of ['{', 'null', '[]', '"x"', '1', '   ', '{}{}']) {
    it(`is refused if it is ${JSON.stringify(text)}`, async () => {
      const { report, problems } = await readOne(text);
      assert.equal(report, undefined);
      assert.equal(problems.length, 1);
    });
  }

  it('is refused if it is not UTF-8', async () => {
    const bytes = Buffer.from(JSON.stringify(wireAnalysis('a file')));
    bytes[bytes.indexOf('LANTERN')] = 0xff;
    const { problems } = await readOne(bytes);
    assert.deepEqual(problems, ['the line is not valid JSON in UTF-8.']);
  });

  it('is at most a mebibyte long', async () => {
    const wire = wireAnalysis('a file', { configs: { LANTERN: { x: '' } } });
    const room = 1024 * 1024 - JSON.stringify(wire).length;
    const filled = (length: number) =>
      JSON.stringify({ ...wire, configs: { LANTERN: { x: 'y'.repeat(length) } } });
    assert.deepEqual((await readOne(filled(room))).problems, []);
    assert.deepEqual((await readOne(filled(room + 1))).problems, [
      'a line must be at most 1048576 bytes long.',
    ]);
  });
});

describe('the lines of an import', () => {
  const good = JSON.stringify(wireAnalysis('a file'));

  it('are numbered as in an editor, and empty ones are skipped', async () => {
    const lines = await read(`\n${good}\n\n\r\n${good}\r\n{}\n\n`);
    assert.deepEqual(
      lines.map(({ line, report }) => [line, report !== undefined]),
      [
        [2, true],
        [5, true],
        [6, false],
      ],
    );
  });

  it('need no newline after the last', async () => {
    assert.deepEqual(
      (await read(`${good}\n${good}`)).map(({ line }) => line),
      [1, 2],
    );
  });

  it('may start with a byte order mark', async () => {
    assert.deepEqual((await readOne(`\ufeff${good}`)).problems, []);
  });

  it('are none if the stream is empty', async () => {
    assert.deepEqual(await read(''), []);
  });

  it('are processed from a given number on', async () => {
    const lines = await read(`{}\n{}\n${good}\n${good}\n`, 3);
    assert.deepEqual(
      lines.map(({ line }) => line),
      [3, 4],
    );
  });

  it('continue after one that is too long', async () => {
    const lines = await read(`${'x'.repeat(3_000_000)}\n${good}\n`);
    assert.deepEqual(
      lines.map(({ problems }) => problems.length),
      [1, 0],
    );
  });

  it('are the same for any chunks of the stream', async () => {
    const bytes = Buffer.from(`${JSON.stringify(wireAnalysis('💀ü'))}\n\n{}\r\n${good}`);
    const whole = await Array.fromAsync(readAnalysisLines(inPieces(bytes)));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: bytes.length }), async (length) => {
        const cut = await Array.fromAsync(readAnalysisLines(inPieces(bytes, length)));
        assert.deepEqual(cut, whole);
      }),
    );
  });
});

describe('digests of a line', () => {
  it('have the length of their kind', async () => {
    const kinds = { mD5Hash: 32, sha1Hash: 40, blake3Hash: 64, sha256Hash: 64, sha512Hash: 128 };
    for (const [name, digits] of Object.entries(kinds)) {
      assert.deepEqual(await problemsOf({ [name]: 'A'.repeat(digits) }), []);
      assert.deepEqual(await problemsOf({ [name]: 'a'.repeat(digits - 1) }), [
        `${name} must be ${digits} hexadecimal digits.`,
      ]);
    }
  });
});
