import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RapsheetClient } from '../client/client.ts';
import { RapsheetError } from '../client/error.ts';
import { LookupRun } from './lookup-run.ts';

const hashOf = (digit: string) => digit.repeat(64);
const [A, B, C, D] = ['a', 'b', 'c', 'd'].map(hashOf) as [string, string, string, string];

/** A server that has a report for every hash, and charges a batch whole or not at all. */
class FakeServer {
  left: number;
  readonly calls: number[] = [];
  /** Units that others spend after each refusal. */
  spentByOthers = 0;

  constructor(left: number) {
    this.left = left;
  }

  get #quota() {
    return { limit: 10, remaining: this.left, resetsAt: null };
  }

  async lookUpMany(hashes: readonly string[]) {
    this.calls.push(hashes.length);
    if (hashes.length > this.left) throw this.#refuse('quota_exhausted');
    this.left -= hashes.length;
    const results = hashes.map((hash) => ({ hash, status: 200 as const }));
    return { results, quota: this.#quota };
  }

  async lookUp(): Promise<never> {
    throw this.#refuse('too_many_calls');
  }

  #refuse(code: string): RapsheetError {
    const error = new RapsheetError('No.', { code, status: 429, quota: this.#quota });
    this.left -= this.spentByOthers;
    return error;
  }
}

async function statuses(server: FakeServer, ...batches: (readonly string[])[]) {
  const run = new LookupRun(server as unknown as RapsheetClient);
  const found: number[] = [];
  for (const batch of batches)
    for await (const { status } of run.together(batch)) found.push(status);
  return { found, run };
}

describe('a run of lookups', () => {
  it('spends the units that are left, and makes no call after that', async () => {
    const server = new FakeServer(3);
    const { found, run } = await statuses(server, [A, B], [C, D], [A]);
    assert.deepEqual(found, [200, 200, 200, 429, 429]);
    assert.deepEqual(server.calls, [2, 2, 1]);
    assert.equal(run.exhaustion?.code, 'quota_exhausted');
    // That of the refused batch says that nothing was charged.
    assert.equal(run.exhaustion?.message, 'The quota is exhausted.');
    assert.deepEqual(run.counts, { asked: 5, missing: 0, malformed: 0, skipped: 2 });
    assert.equal(run.quota?.remaining, 0);
  });

  it('ends if others spend the rest meanwhile', async () => {
    const server = new FakeServer(3);
    server.spentByOthers = 1;
    const { found } = await statuses(server, [A, B, C, D]);
    assert.deepEqual(found, [429, 429, 429, 429]);
    assert.deepEqual(server.calls, [4, 3, 2, 1]);
  });

  it('sends no text that is no hash', async () => {
    const server = new FakeServer(10);
    const { found } = await statuses(server, ['beef', A, ''], ['x']);
    assert.deepEqual(found, [400, 200, 400, 400]);
    assert.deepEqual(server.calls, [1]);
  });

  it('throws other refusals', async () => {
    const run = new LookupRun(new FakeServer(1) as unknown as RapsheetClient);
    await assert.rejects(Array.fromAsync(run.oneByOne([A])), { code: 'too_many_calls' });
  });
});
