import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createMetrics } from '../../observability/metrics.ts';
import { MemoryBudget } from './memory-budget.ts';

function budget(limitBytes = 1000) {
  const { memory: numbers } = createMetrics();
  return { memory: new MemoryBudget(numbers, limitBytes), numbers };
}

const forever = new AbortController().signal;

/** Whether a promise is already fulfilled. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  return (await Promise.race([promise, turn(pending)])) !== pending;
}

describe('the memory budget', () => {
  it('refuses requests above it with a time to retry, and counts them', () => {
    const { memory, numbers } = budget();
    const held = memory.take('uploads', 600);
    assert.throws(() => memory.take('bodies', 600), {
      code: 'overloaded',
      details: { retryAfterSeconds: 5 },
    });
    assert.deepEqual(numbers.heldBytes, { ...numbers.heldBytes, uploads: 600, bodies: 0 });
    assert.equal(numbers.refusals.bodies, 1);
    held.release();
    held.release();
    assert.equal(numbers.heldBytes.uploads, 0);
    memory.take('bodies', 600);
  });

  it('allows a request larger than the whole budget only if nothing else is reserved', () => {
    const { memory } = budget();
    memory.take('answers', 5000);
    assert.throws(() => memory.take('answers', 1), { code: 'overloaded' });
  });

  it('allows no account more than a quarter', () => {
    const { memory } = budget();
    const held = memory.take('answers', 250, 'a');
    assert.equal(memory.hasShareLeft('a'), false);
    assert.throws(() => memory.admit('answers', 'a'), { code: 'overloaded' });
    memory.admit('answers', 'b');
    held.release();
    memory.admit('answers', 'a');
  });

  it('is tight for a request that takes a quarter of it', () => {
    const { memory } = budget();
    memory.change('pipelined', 250);
    assert.deepEqual([memory.isTightFor('pipelined'), memory.isTightFor('answers')], [true, false]);
  });

  it('grants reservations in order, as others are released', async () => {
    const { memory } = budget();
    const first = await memory.reserve(200, 'a', forever);
    const second = memory.reserve(200, 'a', forever);
    const third = memory.reserve(200, 'a', forever);
    const other = memory.reserve(200, 'b', forever);
    assert.equal(await isSettled(other), true, 'another account does not wait');
    assert.equal(await isSettled(second), false);
    first.release();
    assert.equal(await isSettled(second), true);
    assert.equal(await isSettled(third), false);
    (await second).release();
    assert.equal(await isSettled(third), true);
  });

  it('lets no account overtake one that is waiting', async () => {
    const { memory } = budget();
    const first = memory.hold('answers', 450);
    memory.hold('answers', 450);
    const large = memory.reserve(240, 'a', forever);
    const other = memory.reserve(240, 'b', forever);
    const small = memory.reserve(50, 'c', forever);
    assert.equal(await isSettled(small), false);
    first.release();
    assert.equal(await isSettled(large), true);
    assert.equal(await isSettled(other), true);
    assert.equal(await isSettled(small), true);
  });

  it('serves the next in line after a waiting one is aborted', async () => {
    const { memory } = budget();
    memory.hold('answers', 900);
    const controller = new AbortController();
    const large = memory.reserve(240, 'a', controller.signal);
    const small = memory.reserve(50, 'b', forever);
    assert.equal(await isSettled(small), false);
    controller.abort();
    await assert.rejects(large, { name: 'AbortError' });
    assert.equal(await isSettled(small), true);
  });

  it('removes an aborted reservation', async () => {
    const { memory, numbers } = budget();
    const held = await memory.reserve(200, 'a', forever);
    const controller = new AbortController();
    const waiting = memory.reserve(200, 'a', controller.signal);
    controller.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
    held.release();
    assert.equal(numbers.heldBytes.answers, 0);
  });
});
