import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fastify from 'fastify';
import type { App } from '../../../src/http/fastify-types.ts';
import { MemoryBudget } from '../../../src/http/gate/memory-budget.ts';
import { trackMemory } from '../../../src/http/gate/request-memory.ts';
import { sendPage } from '../../../src/http/responses/page-response.ts';
import { createLog } from '../../../src/observability/log.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';
import { until } from '../../until.ts';

const ITEM = 'x'.repeat(998);

/** A part of the list, in JSON. */
const partOf = (count: number) => Array(count).fill(JSON.stringify(ITEM)).join();

/** Serves pages of these parts. */
async function serve(parts: () => AsyncGenerator<string, void>) {
  const { memory: numbers } = createMetrics();
  const app: App = fastify();
  const memory = new MemoryBudget(numbers, 1_000_000);
  trackMemory(app, memory, createLog('silent'));
  app.route({
    method: 'GET',
    url: '/',
    handler: (_, reply) =>
      sendPage(reply, { list: 'items', parts: parts(), members: { end: true } }),
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, url, memory, numbers };
}

describe('a page of several parts', () => {
  it('counts the parts in memory until it is sent', async (test) => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { app, url, numbers } = await serve(async function* () {
      yield partOf(10);
      yield partOf(10);
      await gates[0]?.promise;
      yield '';
      yield partOf(50);
      await gates[1]?.promise;
    });
    test.after(() => app.close());
    const { heldBytes } = numbers;
    const asked = fetch(url).then((response) => response.json());
    await until(() => heldBytes.answers === 3 * 2 * partOf(10).length, 'two parts are counted');
    gates[0]?.resolve();
    await until(() => heldBytes.answers === 3 * partOf(50).length, 'a larger part is counted');
    gates[1]?.resolve();
    assert.deepEqual(await asked, { items: Array(70).fill(ITEM), end: true });
    await until(() => heldBytes.answers === 0, 'nothing is counted');
  });

  it('stops reading parts when it is refused', async (test) => {
    let isEnded = false;
    const { app, url, memory } = await serve(async function* () {
      try {
        for (;;) yield partOf(1);
      } finally {
        isEnded = true;
      }
    });
    test.after(() => app.close());
    memory.hold('bodies', 1_000_000);
    assert.equal((await fetch(url)).ok, false);
    assert.equal(isEnded, true);
  });
});
