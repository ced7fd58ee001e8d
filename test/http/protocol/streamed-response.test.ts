import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fastify from 'fastify';
import { Problem } from '../../../src/domain/problem.ts';
import type { App } from '../../../src/http/fastify-types.ts';
import { MemoryBudget } from '../../../src/http/gate/memory-budget.ts';
import { takeForResponse, trackMemory } from '../../../src/http/gate/request-memory.ts';
import { sendStream } from '../../../src/http/responses/send-response.ts';
import { createLog } from '../../../src/observability/log.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';
import { TurnCounter } from '../../turn-counter.ts';
import { until } from '../../until.ts';

const TYPE = 'application/json; charset=utf-8';

async function serve(chunks: () => AsyncIterable<string>) {
  const { memory: numbers } = createMetrics();
  const app: App = fastify();
  trackMemory(app, new MemoryBudget(numbers, 1_000_000), createLog('silent'));
  app.route({
    method: 'GET',
    url: '/',
    handler: (_, reply) => {
      takeForResponse(reply, 100_000);
      return sendStream(reply, TYPE, chunks());
    },
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, url, numbers };
}

describe('a streamed response', () => {
  it('is sent completely, with its type, and releases its memory', async (test) => {
    const { app, url, numbers } = await serve(async function* () {
      yield '[1';
      yield '';
      yield ',"ü"]';
    });
    test.after(() => app.close());
    const response = await fetch(url);
    assert.equal(response.headers.get('content-type'), TYPE);
    assert.deepEqual(await response.json(), [1, 'ü']);
    await until(() => numbers.heldBytes.answers === 0, 'nothing is counted');
  });

  it('makes at most 64 KiB and one part more in a turn of the event loop', async (test) => {
    const PART = 20_000;
    const turns = new TurnCounter();
    test.after(() => turns.stop());
    const { app } = await serve(async function* () {
      for (let part = 0; part < 20; part += 1) {
        turns.mark();
        yield 'x'.repeat(PART);
      }
    });
    test.after(() => app.close());
    // Without a connection, so that nothing but the server makes it wait.
    const { body } = await app.inject('/');
    assert.equal(body.length, 20 * PART);
    assert.ok(turns.most <= 4, turns.byTurn.join());
  });

  it('is replaced by an error if it fails before its first chunk', async (test) => {
    const { app, url } = await serve(async function* () {
      yield* [];
      throw Object.assign(new Problem('unavailable'), { statusCode: 503 });
    });
    test.after(() => app.close());
    assert.equal((await fetch(url)).status, 503);
  });

  it('is aborted if it fails later', async (test) => {
    const { app, url, numbers } = await serve(async function* () {
      yield '[1';
      throw new Error('the store failed');
    });
    test.after(() => app.close());
    const response = await fetch(url);
    assert.equal(response.status, 200);
    await assert.rejects(response.text(), 'the response looks complete');
    await until(() => numbers.heldBytes.answers === 0, 'nothing is counted');
  });

  it('is produced only as fast as its client reads, and cancelled with it', async (test) => {
    let made = 0;
    let isEnded = false;
    const { app, url, numbers } = await serve(async function* () {
      try {
        for (; made < 10_000; made += 1) yield 'x'.repeat(100_000);
      } finally {
        isEnded = true;
      }
    });
    test.after(() => app.close());
    const { body } = await fetch(url);
    const reader = body?.getReader();
    await reader?.read();
    let before = -1;
    await until(() => {
      const isSteady = made > 0 && made === before;
      before = made;
      return isSteady;
    }, 'no more is made');
    assert.ok(made < 1000, `${made} chunks were made`);
    assert.equal(numbers.heldBytes.answers, 100_000);
    await reader?.cancel();
    await until(() => isEnded && numbers.heldBytes.answers === 0, 'it is given up');
  });
});
