import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sha256Of } from '../../../test/builders.ts';
import { fakeDependencies } from '../../../test/fakes.ts';
import type { AnalysisReport } from '../../domain/samples/analysis-report.ts';
import type { StoreOutcome } from '../../ports/sample-store.ts';
import { type ImportLine, importSamples, type RefusedLine } from './import-samples.ts';

const audit = { actor: 'admin', at: new Date('2026-08-26T10:00:00Z') };

function reportOf(file: string): AnalysisReport {
  return {
    date: new Date('2026-08-26T09:00:00Z'),
    tags: [],
    ssdeep: '',
    configs: { LANTERN: {} },
    md5: '',
    sha1: '',
    sha256: sha256Of(file),
    sha512: `512 of ${file}`,
    blake3: `blake3 of ${file}`,
    fileName: file,
    sizeBytes: 1,
    duration: '',
  };
}

function goodLines(count: number): ImportLine[] {
  return Array.from({ length: count }, (_, index) => ({
    line: index + 1,
    report: reportOf(`file ${index + 1}`),
    sizeBytes: 100,
    problems: [],
  }));
}

/** A fake store that returns `outcomeOf` for each file, and records its calls. */
function importer(outcomeOf: (report: AnalysisReport) => StoreOutcome = () => 'added') {
  const chunks: (readonly AnalysisReport[])[] = [];
  const notes: unknown[] = [];
  const refused: RefusedLine[] = [];
  const progress: number[] = [];
  const deps = fakeDependencies({
    samples: {
      async putAll(samples) {
        chunks.push(samples);
        return samples.map(outcomeOf);
      },
    },
    audit: { write: async (...entry) => void notes.push(entry) },
  });
  const run = (
    lines: AsyncIterable<ImportLine> | Iterable<ImportLine>,
    options: { readonly chunkLines?: number } = {},
  ) =>
    importSamples(deps, audit, lines, {
      ...options,
      refused: (line) => void refused.push(line),
      progress: (line) => void progress.push(line),
    });
  return { run, chunks, notes, refused, progress };
}

describe('importing samples', () => {
  it('passes the analyses on unchanged', async () => {
    const { run, chunks } = importer();
    await run(goodLines(1));
    assert.deepEqual(chunks, [[reportOf('file 1')]]);
  });

  it('stores fewer at a time if they are large', async () => {
    const { run, chunks } = importer();
    await run(goodLines(5).map((line) => ({ ...line, sizeBytes: 600_000 })));
    assert.deepEqual(
      chunks.map(({ length }) => length),
      [2, 2, 1],
    );
  });

  it('stores two hundred lines at a time', async () => {
    const { run, chunks, progress } = importer();
    await run(goodLines(401));
    assert.deepEqual(
      chunks.map(({ length }) => length),
      [200, 200, 1],
    );
    assert.deepEqual(progress, [200, 400, 401]);
  });

  it('stores as many lines at a time as it is told', async () => {
    const { run, chunks } = importer();
    await run(goodLines(401), { chunkLines: 300 });
    assert.deepEqual(
      chunks.map(({ length }) => length),
      [300, 101],
    );
  });

  it('does not store an empty chunk', async () => {
    const { run, chunks } = importer();
    await run(goodLines(400));
    assert.deepEqual(
      chunks.map(({ length }) => length),
      [200, 200],
    );
  });

  it('processes lines as they arrive', async () => {
    const { run } = importer();
    async function* arriving() {
      yield* goodLines(3);
    }
    assert.equal((await run(arriving())).added, 3);
  });

  it('counts the outcome of each line', async () => {
    const outcomes: StoreOutcome[] = [
      'added',
      'replaced',
      'unchanged',
      'conflict',
      'removed',
      'added',
    ];
    const { run } = importer(() => outcomes.shift() ?? 'added');
    assert.deepEqual(await run(goodLines(6)), { added: 2, replaced: 1, unchanged: 1, refused: 2 });
  });

  it('returns the refused lines and the reasons', async () => {
    const { run, refused } = importer(({ sha256 }) => {
      if (sha256 === sha256Of('file 2')) return 'conflict';
      return sha256 === sha256Of('file 3') ? 'removed' : 'added';
    });
    await run([
      ...goodLines(4),
      { line: 9, sizeBytes: 1, report: undefined, problems: ['a is wrong.', 'b too.'] },
    ]);
    assert.deepEqual(refused, [
      {
        line: 2,
        error:
          'another file already has one of these values of sha256Hash, sha512Hash and blake3Hash.',
      },
      { line: 3, error: 'an operator removed this file; it cannot be stored again.' },
      { line: 9, error: 'a is wrong. b too.' },
    ]);
  });

  it('stores the other lines around a refused one', async () => {
    const bad = (line: number): ImportLine => ({
      line,
      sizeBytes: 1,
      report: undefined,
      problems: ['x'],
    });
    const [first, second] = goodLines(2) as [ImportLine, ImportLine];
    const outcomes: StoreOutcome[] = ['replaced', 'conflict'];
    const { run, refused } = importer(() => outcomes.shift() ?? 'added');
    const tally = await run([bad(10), first, bad(20), second, bad(30)]);
    assert.deepEqual(tally, { added: 0, replaced: 1, unchanged: 0, refused: 4 });
    assert.deepEqual(
      refused.map(({ line }) => line),
      [10, 20, 2, 30],
    );
  });

  it('of an empty input succeeds', async () => {
    const { run, chunks } = importer();
    assert.deepEqual(await run([]), { added: 0, replaced: 0, unchanged: 0, refused: 0 });
    assert.deepEqual(chunks, []);
  });

  it('is audited once, with its tally', async () => {
    const { run, notes } = importer();
    await run(goodLines(300));
    assert.deepEqual(notes, [
      ['sample.import', 'samples', { added: 300, replaced: 0, unchanged: 0, refused: 0 }, audit],
    ]);
  });

  it('is audited with the stored lines if the input fails', async () => {
    const { run, notes } = importer();
    async function* breaking() {
      yield* goodLines(250);
      throw new Error('connection lost');
    }
    await assert.rejects(run(breaking()), /connection lost/);
    assert.deepEqual(notes, [
      ['sample.import', 'samples', { added: 200, replaced: 0, unchanged: 0, refused: 0 }, audit],
    ]);
  });
});
