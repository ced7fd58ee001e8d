import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { once } from 'node:events';
import { join } from 'node:path';
import { it } from 'node:test';
import type { WorkerState } from '../../src/ports/analyser.ts';
import { answerWorkerState } from '../../src/server/worker-state-messages.ts';

it('lets a process that serves HTTP ask the primary process for the analysis workers', async () => {
  const state: WorkerState = {
    capacity: 2,
    running: 1,
    busy: 1,
    restarts: 0,
    isolation: { tier: 'sandbox', means: ['bubblewrap'], lacks: [] },
    ruleProblems: [],
  };
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'ask-worker-state.ts') });
  answerWorkerState(() => state);
  const worker = cluster.fork();
  const heard = new Promise((resolve) => {
    worker.on('message', (message: object) => {
      if ('heard' in message) resolve(message.heard);
    });
  });
  const exited = once(worker, 'exit');
  assert.deepEqual(await heard, state);
  await exited;
});
