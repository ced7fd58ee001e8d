import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { inspect } from '../../../../test/analysis/findings.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { FUZZ_RUNS, fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { archive } from './seven.ts';

// Runs in its own process: it measures the memory of the process.

const NOTE = 'A harmless note for tests.\n'.repeat(40);
const MARKER = 'RAPSHEET-TEST-MARKER: stands for a sample, does nothing.\n';
const MIB = 1024 * 1024;

const KINDS: readonly (readonly [file: string, tag: string])[] = [
  ['plain.7z', 'SEVEN_ZIP'],
  ['plain.rar', 'RAR'],
  ['old.rar', 'RAR'],
  ['plain.cab', 'CAB'],
  ['plain.iso', 'ISO'],
  ['udf.iso', 'ISO'],
  ['plain.lzh', 'LZH'],
  ['plain.wim', 'WIM'],
];

function sorted(nested: readonly { name: string; bytes: Buffer }[]): [string, string][] {
  return nested.map(({ name, bytes }): [string, string] => [name, bytes.toString()]).sort();
}

describe('an archive that 7-Zip reads', () => {
  for (const [file, tag] of KINDS) {
    it(`is unpacked (${file})`, async () => {
      const found = await inspect(archive, fixture(`analysis/archive/${file}`));
      assert.deepEqual(sorted(found.nested), [
        ['inner/marker.txt', MARKER],
        ['note.txt', NOTE],
      ]);
      assert.deepEqual([...found.tags.keys()], [tag]);
      assert.equal(found.allFacts['memberCount'], 2);
    });
  }

  it('is recognised as an NSIS installer by its marker', async () => {
    const bytes = fixture('analysis/archive/nsis.exe');
    const found = await inspect(archive, bytes);
    assert.deepEqual(sorted(found.nested), [
      ['marker.txt', MARKER],
      ['note.txt', NOTE],
    ]);
    assert.deepEqual([...found.tags.keys()], ['NSIS']);
    const mark = bytes.indexOf('NullsoftInst');
    bytes.fill(0, mark, mark + 4);
    assert.equal(archive.matches({ bytes } as never), false);
  });

  for (const file of ['encrypted.7z', 'hidden.7z']) {
    it(`opens with a customary password (${file})`, async () => {
      const found = await inspect(archive, fixture(`analysis/archive/${file}`));
      assert.equal(found.nested.length, 2);
      const tags = ['SEVEN_ZIP', 'ENCRYPTED_ARCHIVE', 'PASSWORD_INFECTED'];
      assert.deepEqual([...found.tags.keys()], tags);
    });
  }

  it('stays closed if no customary password fits', async () => {
    const found = await inspect(archive, fixture('analysis/archive/unknown.7z'));
    assert.deepEqual(found.nested, []);
    const tags = ['SEVEN_ZIP', 'ENCRYPTED_ARCHIVE', 'ARCHIVE_PASSWORD_UNKNOWN'];
    assert.deepEqual([...found.tags.keys()], tags);
  });

  it('is tagged if it is a disc image with a single program', async () => {
    const found = await inspect(archive, fixture('analysis/archive/program.iso'));
    assert.deepEqual([...found.tags.keys()], ['ISO', 'ISO_ONLY_PROGRAM']);
  });

  it('leaves the state of the process unchanged', async () => {
    await inspect(archive, fixture('analysis/archive/plain.7z').subarray(0, 80));
    assert.equal(process.exitCode, undefined);
    assert.equal(Reflect.get(process, 'type'), undefined);
  });

  it('is not recognised by a few bytes only', () => {
    for (const text of ['', 'MZ', '7z', 'MSCF', '..-lhx-', 'Rar!'])
      assert.equal(archive.matches({ bytes: Buffer.from(text) } as never), false);
  });
});

describe('an oversized archive', () => {
  it('is cut at the byte limit, and the output before it is analysed', async () => {
    const found = await inspect(archive, fixture('analysis/archive/plain.rar'), { bytes: 1100 });
    assert.deepEqual(
      found.nested.map(({ bytes }) => bytes.length),
      [1080, 20],
    );
    assert.ok(found.limits.length > 0);
    assert.equal(found.budget.bytesLeft, 0);
  });

  it('is cut at the member limit', async () => {
    const found = await inspect(archive, fixture('analysis/archive/plain.rar'), { members: 1 });
    assert.equal(found.nested.length, 1);
    assert.ok(found.limits.length > 0);
  });

  it('is abandoned when the time is over', async () => {
    let questions = 0;
    const isOver = () => {
      questions += 1;
      return questions > 3;
    };
    const found = await inspect(archive, fixture('analysis/archive/plain.7z'), { isOver });
    assert.deepEqual(found.nested, []);
  });

  it('is a bomb by its ratio', async () => {
    const found = await inspect(archive, fixture('analysis/archive/zeros.7z'));
    assert.ok(found.tags.has('ARCHIVE_BOMB'));
    const [zeros] = found.nested;
    assert.ok(zeros !== undefined && zeros.bytes.length <= 16 * MIB);
  });

  it('does not get the memory that its dictionary requests', async () => {
    const before = process.memoryUsage().rss;
    const found = await inspect(archive, fixture('analysis/archive/dictionary.7z'));
    assert.deepEqual(found.nested, []);
    assert.ok(found.tags.has('ARCHIVE_DAMAGED'));
    assert.ok(process.memoryUsage().rss - before < 400 * MIB);
  });
});

describe('a damaged archive', () => {
  for (const [file] of [...KINDS, ['nsis.exe'] as const]) {
    it(`is inspected without an exception and within the budget (${file})`, async () => {
      const good = fixture(`analysis/archive/${file}`);
      await fc.assert(
        fc.asyncProperty(hostileVariants(good), async (bytes) => {
          const found = await inspect(archive, bytes, { bytes: MIB, members: 10 });
          assert.ok(found.budget.bytesLeft >= 0 && found.nested.length <= 10);
        }),
        { ...fuzzSettings(), numRuns: Math.ceil(FUZZ_RUNS / 15) },
      );
    });
  }
});
