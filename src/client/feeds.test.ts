import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BatchPace } from './batch.ts';
import { RapsheetClient } from './client.ts';
import type { FeedEvent } from './follow.ts';

const encoder = new TextEncoder();

/** A client of a fake server with these answers; records the requests and the delays. */
function serverWith(...answers: readonly (() => Response)[]) {
  const rest = [...answers];
  const requests: Request[] = [];
  const delays: number[] = [];
  const client = new RapsheetClient({
    url: 'http://rapsheet.example',
    token: 'rap_token',
    retries: 0,
    sleep: async (ms) => void delays.push(ms),
    fetch: async (input, init) => {
      requests.push(new Request(input, init));
      const answer = rest.shift();
      if (answer === undefined) throw new TypeError('fetch failed');
      return answer();
    },
  });
  return { client, requests, delays };
}

/** A stream of these texts that then ends, breaks or stays open. */
function stream(texts: readonly string[], end: 'ends' | 'breaks' | 'stays' = 'ends') {
  const rest = [...texts];
  return () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          const text = rest.shift();
          if (text !== undefined) controller.enqueue(encoder.encode(text));
          else if (end === 'breaks') controller.error(new Error('reset'));
          else if (end === 'ends') controller.close();
        },
      }),
    );
}

function refused(status: number, code: string) {
  return () =>
    Response.json(
      { error: 'No.', successful: false },
      { status, headers: { 'x-error-code': code } },
    );
}

const created = (number: number) =>
  `event: created\nid: ${number}\ndata: {"sequence":${number},"type":"created","id":"r${number}"}\n\n`;

async function take(events: AsyncGenerator<FeedEvent, void>, count: number): Promise<FeedEvent[]> {
  const taken: FeedEvent[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}

const idsOf = (events: readonly FeedEvent[]) => events.map(({ id }) => id);

describe('following a feed', () => {
  it('yields the changes', async () => {
    const { client, requests } = serverWith(
      stream(['retry: 3000\nid: 4\n\n', created(5), ': ping\n\n', created(6)], 'stays'),
    );
    const [first, second] = await take(client.followFeed('ply', { since: 4 }), 2);
    assert.deepEqual(first, {
      kind: 'change',
      id: '5',
      change: { sequence: 5, type: 'created', id: 'r5' },
    });
    assert.equal(second?.id, '6');
    assert.equal(requests[0]?.url, 'http://rapsheet.example/feed/ply/stream?since=4');
    assert.equal(requests[0]?.headers.get('accept'), 'text/event-stream');
    assert.equal(requests[0]?.headers.get('last-event-id'), null);
  });

  it('resumes after the last event when the connection ends or breaks', async () => {
    const { client, requests, delays } = serverWith(
      stream(['retry: 1500\nid: 0\n\n', created(1), created(2)], 'ends'),
      stream([created(3)], 'breaks'),
      stream([created(4)], 'stays'),
    );
    const events = await take(client.followFeed('all', { since: 0 }), 4);
    assert.deepEqual(idsOf(events), ['1', '2', '3', '4']);
    assert.deepEqual(
      requests.map(({ url, headers }) => [new URL(url).search, headers.get('last-event-id')]),
      [
        ['?since=0', null],
        ['', '2'],
        ['', '3'],
      ],
    );
    assert.deepEqual(delays, [1500, 1500]);
  });

  it('resumes at its start if no change has arrived', async () => {
    const { client, requests } = serverWith(stream(['id: 9\n\n']), stream([created(10)], 'stays'));
    await take(client.followFeed('ply'), 1);
    assert.equal(requests[1]?.headers.get('last-event-id'), '9');
  });

  it('drops an incomplete event, which the server sends again', async () => {
    const { client } = serverWith(
      stream([created(1), created(2).slice(0, -5)], 'breaks'),
      stream([created(2)], 'stays'),
    );
    assert.deepEqual(idsOf(await take(client.followFeed('ply'), 2)), ['1', '2']);
  });

  it('yields a reset', async () => {
    const { client } = serverWith(
      stream(['event: reset\nid: 7\ndata: {"reason":"dropped","next":7}\n\n'], 'stays'),
    );
    const [event] = await take(client.followFeed('ply', { lastEventId: '1' }), 1);
    assert.deepEqual(event, { kind: 'reset', id: '7' });
  });

  it('reconnects to a server that restarts', async () => {
    const { client } = serverWith(
      stream([created(1)]),
      refused(503, 'unavailable'),
      refused(502, 'bad_answer'),
      stream([created(2)], 'stays'),
    );
    assert.deepEqual(idsOf(await take(client.followFeed('ply'), 2)), ['1', '2']);
  });

  it('throws if the first connection fails', async () => {
    const { client } = serverWith();
    await assert.rejects(take(client.followFeed('ply'), 1), { code: 'no_answer' });
  });

  it('throws an error that a retry cannot solve', async () => {
    const { client } = serverWith(stream([created(1)]), refused(401, 'token_invalid'));
    await assert.rejects(take(client.followFeed('ply'), 2), { code: 'token_invalid' });
  });

  it('ends when the signal is aborted', async () => {
    const stop = new AbortController();
    const { client } = serverWith(stream([created(1)], 'ends'), stream([created(2)], 'stays'));
    const seen: string[] = [];
    for await (const { id } of client.followFeed('ply', { signal: stop.signal })) {
      seen.push(id);
      stop.abort();
    }
    assert.deepEqual(seen, ['1']);
  });

  it('sends no request if the signal is already aborted', async () => {
    const { client, requests } = serverWith(stream([created(1)]));
    const events = client.followFeed('ply', { signal: AbortSignal.abort() });
    assert.deepEqual(await Array.fromAsync(events), []);
    assert.equal(requests.length, 0);
  });
});

describe('creating many reports', () => {
  it('yields the result of each line', async () => {
    const { client, requests } = serverWith(
      stream([
        '{"line":1,"id":"a","successful":true}\n{"line":2,"er',
        'ror":"x","successful":false}\n',
      ]),
    );
    const lines = await client.createReports('ply', '{}\n{}\n', 'key');
    assert.deepEqual(await Array.fromAsync(lines), [
      { line: 1, id: 'a', successful: true },
      { line: 2, error: 'x', successful: false },
    ]);
    assert.equal(requests[0]?.headers.get('content-type'), 'application/x-ndjson');
    assert.equal(requests[0]?.headers.get('idempotency-key'), '"key"');
    assert.equal(await requests[0]?.text(), '{}\n{}\n');
  });

  it('tells before the first result how fast lines are accepted', async () => {
    const paces: BatchPace[] = [];
    const paceOf = async (headers: Record<string, string>) => {
      const { client } = serverWith(
        () => new Response('{"line":1,"successful":true}\n', { headers }),
      );
      await client.createReports('ply', '{}\n', 'key', { onPace: (pace) => paces.push(pace) });
      return paces.pop();
    };
    const limits = {
      'x-batch-rate': '100',
      ratelimit: '"create";r=1000;t=190',
    };
    const pace = { remaining: 1000, perSecond: 100 };
    assert.deepEqual(await paceOf(limits), { ...pace, seconds: undefined });
    assert.deepEqual(await paceOf({ ...limits, 'x-batch-seconds': '40' }), {
      ...pace,
      seconds: 40,
    });
    assert.equal(await paceOf({}), undefined);
  });

  it('throws when the answer is cut off', async () => {
    const { client } = serverWith(stream(['{"line":1,"successful":true}\n'], 'breaks'));
    const lines = await client.createReports('ply', '{}\n{}\n');
    assert.equal((await lines.next()).value?.line, 1);
    await assert.rejects(lines.next(), { code: 'no_answer' });
  });

  it('throws a refusal', async () => {
    const { client } = serverWith(refused(403, 'role_missing'));
    await assert.rejects(client.createReports('ply', '{}'), { code: 'role_missing', status: 403 });
  });
});

describe('a document of another program', () => {
  it('is sent again after a broken connection only if it has an id', async () => {
    let attempts = 0;
    const client = new RapsheetClient({
      url: 'http://rapsheet.example',
      retries: 1,
      sleep: async () => undefined,
      fetch: async () => {
        attempts += 1;
        throw new TypeError('fetch failed');
      },
    });
    const attemptsOf = async (call: () => Promise<unknown>) => {
      attempts = 0;
      await assert.rejects(call(), { code: 'no_answer' });
      return attempts;
    };
    assert.equal(await attemptsOf(() => client.createFromXarf('ply', { report_id: 'x' })), 2);
    assert.equal(await attemptsOf(() => client.createFromXarf('ply', {}, 'key')), 2);
    assert.equal(await attemptsOf(() => client.createFromXarf('ply', {})), 1);
    assert.equal(await attemptsOf(() => client.createFromMisp('ply', { uuid: 'x' })), 2);
    assert.equal(await attemptsOf(() => client.createFromMisp('ply', { Event: {} })), 1);
  });

  it('may be a MISP event, with a result for each report', async () => {
    const line = '{"line":1,"c2Address":"a.example:1","id":"a","successful":true}\n';
    const { client, requests } = serverWith(stream([line, line], 'breaks'));
    const results = await client.createFromMisp('a b', { Event: { uuid: 'x' } });
    assert.equal((await results.next()).value?.c2Address, 'a.example:1');
    assert.equal((await results.next()).value?.id, 'a');
    await assert.rejects(results.next(), { code: 'no_answer' });
    assert.equal(requests[0]?.url, 'http://rapsheet.example/feed/a%20b/misp');
  });

  it('may be a STIX bundle, which goes to the collection', async () => {
    const { client, requests } = serverWith(() => Response.json({ status: 'complete' }));
    await client.createFromStix('ply', { objects: [] });
    const [request] = requests;
    assert.equal(request?.url, 'http://rapsheet.example/taxii2/feeds/collections/ply/objects/');
    const type = 'application/taxii+json;version=2.1';
    assert.equal(request?.headers.get('content-type'), type);
    assert.equal(request?.headers.get('accept'), type);
  });
});

describe('a list', () => {
  it('repeats the parameter for each tag', async () => {
    const { client, requests } = serverWith(() => Response.json({ reports: [] }));
    await client.listReports('a b', { tag: ['x', 'y&z'], port: 80, count: true });
    assert.equal(
      requests[0]?.url,
      'http://rapsheet.example/feed/a%20b/reports?tag=x&tag=y%26z&port=80&count=true',
    );
  });
});
