import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../config.ts';
import { createLog } from '../observability/log.ts';
import { createMetrics } from '../observability/metrics.ts';
import type { Analyser } from '../ports/analyser.ts';
import { countAnalyses, openWithRetry, startWorkers } from './start-analyses.ts';

const SILENT = createLog('silent');
const NO_DELAY = [0];

describe('opening with retries', () => {
  it('ends with the first success', async () => {
    const { signal } = new AbortController();
    let tries = 0;
    const open = async () => {
      tries += 1;
      if (tries < 4) throw new Error('out of memory');
      return 'opened';
    };
    assert.equal(await openWithRetry(open, { signal, log: SILENT, delaysMs: NO_DELAY }), 'opened');
    assert.equal(tries, 4);
  });

  it('ends when the signal aborts, also during a long delay', async () => {
    const stopping = new AbortController();
    const lines: string[] = [];
    const log = createLog('error', { write: (line) => lines.push(line) });
    const open = () => {
      setImmediate(() => stopping.abort());
      return Promise.reject(new Error('out of memory'));
    };
    const opening = openWithRetry(open, { signal: stopping.signal, log, delaysMs: [3_600_000] });
    assert.equal(await opening, undefined);
    assert.equal(lines.length, 1);
  });
});

describe('workers that are started ahead', () => {
  function opened() {
    let closed = 0;
    const close = async () => {
      closed += 1;
    };
    return { analyser: { close } as unknown as Analyser, closed: () => closed };
  }
  const config = { ...readConfig({}), analysisWorkers: 1 };

  it('are closed if nothing uses them, even while they start', async () => {
    const { analyser, closed } = opened();
    const { promise, resolve } = Promise.withResolvers<Analyser>();
    const workers = startWorkers(config, SILENT, () => promise);
    const stopped = workers.stop();
    resolve(analyser);
    await stopped;
    assert.equal(closed(), 1);
  });

  it('are told when their start is cancelled', async () => {
    const aborted = Promise.withResolvers<void>();
    const workers = startWorkers(config, SILENT, async (_config, { signal }) => {
      signal?.addEventListener('abort', () => aborted.resolve());
      await aborted.promise;
      throw new Error('cancelled');
    });
    workers.cancel();
    assert.equal(await workers.opening, undefined);
    await workers.stop();
  });

  it('are none if there are to be none', async () => {
    const fail = () => assert.fail('it was opened');
    const workers = startWorkers({ ...config, analysisWorkers: 0 }, SILENT, fail);
    assert.equal(await workers.opening, undefined);
    await workers.stop();
  });
});

describe('the metrics of analyses', () => {
  it('count those in progress, and the others by outcome', async () => {
    const { registry, analyses } = createMetrics();
    const observer = countAnalyses(analyses);
    for (let round = 0; round < 5; round += 1) observer.began();
    observer.ended({ kind: 'done' }, 0.2);
    observer.ended({ kind: 'gone' }, 0);
    observer.ended({ kind: 'again', failure: 'timeout', message: '' }, 21);
    observer.ended({ kind: 'failed', failure: 'timeout', message: '' }, 21);
    const text = await registry.metrics();
    for (const line of [
      'rapsheet_analyses_running 1',
      'rapsheet_analyses_total{outcome="done"} 1',
      'rapsheet_analyses_total{outcome="gone"} 1',
      'rapsheet_analyses_total{outcome="again"} 1',
      'rapsheet_analyses_total{outcome="failed"} 1',
      'rapsheet_analysis_failures_total{failure="timeout"} 2',
      'rapsheet_analysis_failures_total{failure="crashed"} 0',
      'rapsheet_analysis_seconds_bucket{le="0.1"} 0',
      'rapsheet_analysis_seconds_bucket{le="0.25"} 1',
      'rapsheet_analysis_seconds_count 3',
    ])
      assert.ok(text.includes(`${line}\n`), line);
  });
});
