import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
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

const PLAIN = { 'accept-encoding': 'identity' };

/** Serves pages of these parts. */
async function serve(parts: () => AsyncGenerator<string, void>) {
  const { memory: numbers } = createMetrics();
  const app: App = fastify();
  const memory = new MemoryBudget(numbers, 2_000_000);
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
    const asked = fetch(url, { headers: PLAIN }).then((response) => response.json());
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
    memory.hold('bodies', 2_000_000);
    assert.equal((await fetch(url)).ok, false);
    assert.equal(isEnded, true);
  });
});

describe('a page for a client that accepts gzip', () => {
  const twoParts = async function* () {
    yield partOf(10);
    yield partOf(10);
  };
  const onePart = async function* () {
    yield partOf(20);
  };
  const whole = { items: Array(20).fill(ITEM), end: true };

  it('is compressed, in one part or several', async (test) => {
    for (const parts of [onePart, twoParts]) {
      const { app, numbers } = await serve(parts);
      test.after(() => app.close());
      const answer = await app.inject({ url: '/', headers: { 'accept-encoding': 'br, gzip' } });
      assert.equal(answer.headers['content-encoding'], 'gzip');
      assert.equal(answer.headers['vary'], 'Accept-Encoding');
      assert.ok(answer.rawPayload.length < 1000, `${answer.rawPayload.length} bytes`);
      assert.deepEqual(JSON.parse(gunzipSync(answer.rawPayload).toString()), whole);
      await until(() => numbers.heldBytes.answers === 0, 'nothing is counted');
    }
  });

  it('is sent as it is if it is short', async (test) => {
    const { app } = await serve(async function* () {
      yield partOf(2);
    });
    test.after(() => app.close());
    const answer = await app.inject({ url: '/', headers: { 'accept-encoding': 'gzip' } });
    assert.equal(answer.headers['content-encoding'], undefined);
    assert.equal(answer.headers['vary'], 'Accept-Encoding');
    assert.deepEqual(answer.json(), { items: Array(2).fill(ITEM), end: true });
  });

  it('closes the connection if a later part fails', async (test) => {
    const { app, url, numbers } = await serve(async function* () {
      yield partOf(10);
      yield partOf(10);
      throw new Error('the store is gone');
    });
    test.after(() => app.close());
    await assert.rejects(fetch(url).then((response) => response.text()));
    await until(() => numbers.heldBytes.answers === 0, 'nothing is counted');
  });
});
