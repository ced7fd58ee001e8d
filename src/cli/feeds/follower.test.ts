import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RapsheetError } from '../../client/error.ts';
import type { FeedEvent } from '../../client/follow.ts';
import type { ExtendedReport, ReportPage } from '../../client/wire.ts';
import { FollowState } from './follow-state.ts';
import { type FollowedLine, Follower } from './follower.ts';

type Step = FeedEvent | Error | 'stop';

const noAnswer = new RapsheetError('nothing came', { code: 'no_answer' });
const noRoom = new RapsheetError('no room', { code: 'too_many_connections', status: 503 });

const change = (sequence: number) => ({
  ...{ sequence, type: 'deleted' as const, id: `id-${sequence}` },
});

const changed = (sequence: number): FeedEvent => ({
  ...{ kind: 'change', id: String(sequence), change: change(sequence) },
});

const page = (next: number, sequences: readonly number[] = [], hasMore = false) => ({
  ...{ changes: sequences.map(change), next, head: next, hasMore, successful: true as const },
});

/** A follower of a scripted server; records the calls, the printed lines and the delays. */
function setUp(script: {
  readonly streams: readonly (readonly Step[])[];
  readonly changes?: readonly (ReturnType<typeof page> | Error)[];
  readonly listed?: readonly string[];
}) {
  const stop = new AbortController();
  const streams = [...script.streams];
  const changes = [...(script.changes ?? [])];
  const calls: string[] = [];
  const written: string[] = [];
  const messages: string[] = [];
  const pauses: number[] = [];
  const state = new FollowState(undefined, 'ply');

  async function* followFeed(
    _: string,
    { lastEventId }: { lastEventId?: string | undefined } = {},
  ) {
    calls.push(`stream ${lastEventId}`);
    for (const step of streams.shift() ?? ['stop' as const]) {
      if (step instanceof Error) throw step;
      if (step === 'stop') return stop.abort();
      yield step;
    }
  }

  async function feedChanges(_: string, { since }: { since?: string | number | undefined } = {}) {
    calls.push(`changes ${since}`);
    const answer = changes.shift() ?? noAnswer;
    if (answer instanceof Error) throw answer;
    return answer;
  }

  async function listReports(): Promise<ReportPage> {
    calls.push('list');
    const reports = (script.listed ?? []).map(
      (id) => ({ id, service: 'ply', sequence: 1 }) as ExtendedReport,
    );
    return { reports, nextCursor: null, hasMore: false, successful: true };
  }

  const follower = new Follower({
    client: {
      followFeed,
      feedChanges,
      listReports,
      allChanges: () => assert.fail('this is one feed'),
    },
    feed: 'ply',
    state,
    signal: stop.signal,
    write: async (lines: readonly FollowedLine[]) => {
      for (const line of lines)
        written.push(line.type === 'reset' ? 'reset' : `${line.type} ${line.id}`);
    },
    printMessage: (message) => messages.push(message),
    sleep: async (ms) => void pauses.push(ms),
  });
  return { follower, state, calls, written, messages, pauses };
}

describe('a follower', () => {
  it('prints the changes and saves the position after them', async () => {
    const { follower, state, calls, written } = setUp({
      streams: [[changed(5), changed(6), 'stop']],
      changes: [page(4)],
    });
    await follower.run('now');
    assert.deepEqual(calls, ['changes head', 'stream 4']);
    assert.deepEqual(written, ['deleted id-5', 'deleted id-6']);
    assert.equal(state.position, '6');
  });

  it('saves its start before the first change', async () => {
    const { follower, state } = setUp({ streams: [['stop']], changes: [page(4)] });
    await follower.run('now');
    assert.equal(state.position, '4');
  });

  it('resumes at its saved position and ignores the given start', async () => {
    const { follower, state, calls } = setUp({ streams: [['stop']] });
    state.save('9');
    await follower.run('start');
    assert.deepEqual(calls, ['stream 9']);
  });

  it('polls for changes while the stream cannot be opened, and retries the stream each time', async () => {
    const { follower, calls, written, messages, pauses } = setUp({
      streams: [[noRoom], [noRoom], [changed(4), 'stop']],
      changes: [page(2, [1, 2], true), page(3, [3]), page(3)],
    });
    await follower.run('start');
    assert.deepEqual(calls, [
      ...['stream 0', 'changes 0', 'changes 2'],
      ...['stream 3', 'changes 3', 'stream 3'],
    ]);
    assert.deepEqual(written, ['deleted id-1', 'deleted id-2', 'deleted id-3', 'deleted id-4']);
    assert.equal(messages.length, 1);
    assert.match(messages[0] ?? '', /^The stream cannot be opened.*: no room$/);
    assert.deepEqual(pauses, [5000, 5000]);
  });

  it('backs off while the server is unreachable, and then resumes', async () => {
    const { follower, calls, written, pauses } = setUp({
      streams: [[changed(1), noAnswer], [noAnswer], [noRoom], [changed(2), 'stop']],
      changes: [noAnswer, new RapsheetError('broken', { code: 'internal', status: 500 }), noRoom],
    });
    await follower.run('start');
    assert.deepEqual(pauses, [10_000, 20_000, 40_000]);
    assert.deepEqual(written, ['deleted id-1', 'deleted id-2']);
    assert.equal(calls.at(-1), 'stream 1');
  });

  it('fails if the first connection fails', async () => {
    const { follower, state, pauses } = setUp({ streams: [[noAnswer]], changes: [noAnswer] });
    state.save('1');
    await assert.rejects(follower.run('now'), noAnswer);
    assert.deepEqual(pauses, []);
  });

  it('fails on an error that a retry cannot solve', async () => {
    const refusal = new RapsheetError('not valid', { code: 'token_invalid', status: 401 });
    const { follower } = setUp({ streams: [[changed(1), refusal]], changes: [refusal] });
    await assert.rejects(follower.run('start'), refusal);
  });

  it('prints all listed reports after a reset of the stream', async () => {
    const { follower, state, calls, written, messages } = setUp({
      streams: [[{ kind: 'reset', id: '8' }, changed(9), 'stop']],
      listed: ['a', 'b'],
    });
    await follower.run('start');
    assert.deepEqual(calls, ['stream 0', 'list']);
    assert.deepEqual(written, ['reset', 'listed a', 'listed b', 'deleted id-9']);
    assert.equal(state.position, '9');
    assert.match(messages[0] ?? '', /all listed reports follow instead/);
  });

  it('does the same when polling finds its position lost', async () => {
    for (const code of ['changes_dropped', 'since_ahead', 'invalid_cursor']) {
      const lost = new RapsheetError('lost', { code, status: 410 });
      const { follower, state, calls, written } = setUp({
        streams: [[noRoom], ['stop']],
        changes: [lost, page(8)],
        listed: ['a'],
      });
      await follower.run('start');
      assert.deepEqual(calls, ['stream 0', 'changes 0', 'changes head', 'list', 'stream 8']);
      assert.deepEqual(written, ['reset', 'listed a']);
      assert.equal(state.position, '8');
    }
  });
});
