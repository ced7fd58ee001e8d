import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Analysis } from '../../domain/samples/analysis.ts';
import type { Analyser, AnalysisFailure, AnalysisOutcome } from '../../ports/analyser.ts';
import type { StoredUpload } from '../../ports/sample-store.ts';
import { type AnalysisDependencies, analyseSample } from './analyse-sample.ts';

const SHA256 = 'ab'.repeat(32);
const NOW = new Date('2026-08-26T10:00:00Z');
// Only passed on; its content does not matter here.
const ANALYSIS = { report: { sha256: SHA256 } } as Analysis;
const SAMPLE = {
  digests: { sha256: SHA256 },
  fileName: 'a.exe',
  sizeBytes: 3,
} as StoredUpload;

interface Rig {
  readonly deps: AnalysisDependencies;
  readonly events: string[];
}

function openRig(outcome: AnalysisOutcome, { sample = SAMPLE, hasFile = true } = {}): Rig {
  const events: string[] = [];
  const analyser: Analyser = {
    capacity: 1,
    isolation: { tier: 'runtime', means: [], lacks: [] },
    ruleProblems: [],
    counts: () => ({ running: 0, busy: 0, restarts: 0 }),
    analyse: ({ fileName }) => {
      events.push(`analysed ${fileName}`);
      return Promise.resolve(outcome);
    },
    close: () => Promise.resolve(),
  };
  const deps: AnalysisDependencies = {
    analyser,
    now: () => NOW,
    files: {
      read: () =>
        Promise.resolve(
          hasFile
            ? (async function* () {
                yield Buffer.from('abc');
              })()
            : undefined,
        ),
    },
    store: {
      samples: {
        start: (sha256) => Promise.resolve(sha256 === SHA256 ? sample : undefined),
        finish: ({ report }) => {
          events.push(`finished ${report.sha256}`);
          return Promise.resolve('added');
        },
        fail: (sha256, reason) => {
          events.push(`failed ${sha256}: ${reason}`);
          return Promise.resolve();
        },
      },
    },
  };
  return { deps, events };
}

const failed = (failure: AnalysisFailure): AnalysisOutcome => ({
  kind: 'failed',
  failure,
  message: 'why',
});

describe('the analysis of a sample', () => {
  it('is stored', async () => {
    const { deps, events } = openRig({ kind: 'done', analysis: ANALYSIS });
    assert.deepEqual(await analyseSample(deps, SHA256, 1), { kind: 'done' });
    assert.deepEqual(events, ['analysed a.exe', `finished ${SHA256}`]);
  });

  it('is not started if the sample was removed', async () => {
    const { deps, events } = openRig({ kind: 'done', analysis: ANALYSIS });
    assert.deepEqual(await analyseSample(deps, 'cd'.repeat(32), 1), { kind: 'gone' });
    assert.deepEqual(events, []);
  });

  for (const [failure, tries] of [
    ['timeout', 2],
    ['crashed', 3],
    ['unreadable', 3],
    ['bad-report', 1],
  ] as const) {
    it(`is tried ${tries} times if it ends with ${failure}`, async () => {
      const { deps, events } = openRig(failed(failure));
      for (let attempt = 1; attempt < tries; attempt += 1)
        assert.equal((await analyseSample(deps, SHA256, attempt)).kind, 'again');
      assert.deepEqual(
        events.filter((line) => line.startsWith('failed')),
        [],
      );
      assert.equal((await analyseSample(deps, SHA256, tries)).kind, 'failed');
      assert.match(events.at(-1) ?? '', new RegExp(`^failed ${SHA256}: The `));
      assert.ok(!events.at(-1)?.includes('why'), 'internal details are not exposed');
    });
  }

  it('does not count if the service interrupted it', async () => {
    const { deps } = openRig(failed('interrupted'));
    assert.equal((await analyseSample(deps, SHA256, 3)).kind, 'again');
  });

  it('is not retried after the service ended during three attempts', async () => {
    const { deps, events } = openRig({ kind: 'done', analysis: ANALYSIS });
    assert.equal((await analyseSample(deps, SHA256, 4)).kind, 'failed');
    assert.equal(events.length, 1);
  });

  it('fails if the file is missing', async () => {
    const { deps, events } = openRig({ kind: 'done', analysis: ANALYSIS }, { hasFile: false });
    assert.equal((await analyseSample(deps, SHA256, 3)).kind, 'failed');
    assert.match(events.join(), /could not be read/);
  });
});
