import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { Problem } from '../../../src/domain/problem.ts';
import type { Store } from '../../../src/ports/store.ts';
import { until } from '../../until.ts';
import { signedIn } from '../accounts/browser.ts';
import { openRig, ownRig, type Rig } from '../http-rig.ts';
import { connectionsTo, listen } from '../wire.ts';

const rig = await openRig();
const port = await listen(rig);
after(() => rig.close());

const researcher = await rig.researcher();
const reader = await rig.reader();
/** The timeout ends a test that hangs; it does not measure speed. */
const WAIT = { timeout: 180_000 };

interface StreamEvent {
  readonly event: string;
  readonly id: string;
  readonly data: {
    readonly service?: string;
    readonly sequence: number;
    readonly type: string;
    readonly id: string;
    readonly report?: { readonly status: string };
  };
}

/** A stream client, and the events it has received. */
class Listener {
  readonly response: IncomingMessage;
  readonly ended: Promise<unknown>;
  text = '';
  readonly #request: ClientRequest;

  constructor(sent: ClientRequest, response: IncomingMessage) {
    this.#request = sent;
    this.response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      this.text += text;
    });
    // An aborted connection counts as closed.
    response.on('error', () => undefined);
    this.ended = new Promise((resolve) => response.once('close', resolve));
  }

  /** The complete blocks: after the last blank line there may be a partial event. */
  get #blocks(): readonly string[] {
    return this.text.split('\n\n').slice(0, -1);
  }

  get events(): readonly StreamEvent[] {
    return this.#blocks.flatMap((block) => {
      const [, event, id, data] = /^event: (\w+)\nid: (\S+)\ndata: (.*)$/.exec(block) ?? [];
      if (event === undefined || id === undefined || data === undefined) return [];
      return [{ event, id, data: JSON.parse(data) as StreamEvent['data'] }];
    });
  }

  /** The id to resume from, which is sent before the first event too. */
  get lastId(): string | undefined {
    return [...this.#blocks.join('\n').matchAll(/^id: (\S+)$/gm)].at(-1)?.[1];
  }

  /** Returns fewer if the client has disconnected. */
  async received(count: number): Promise<readonly StreamEvent[]> {
    await until(
      () => this.#request.destroyed || this.events.length >= count,
      `${count} events came`,
    );
    return this.events;
  }

  leave(): void {
    this.#request.destroy();
  }
}

interface Call {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly at?: number;
}

async function call(path: string, options: Call = {}) {
  const token = 'token' in options ? options.token : reader.token;
  const sent = request({
    port: options.at ?? port,
    path,
    headers: { ...(token !== undefined && { authorization: token }), ...options.headers },
  });
  sent.on('error', () => undefined);
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return new Listener(sent, response);
}

/** Opens a stream and waits for its start position. */
async function follow(feed: string, query = '', options: Call = {}): Promise<Listener> {
  const listener = await call(`/feed/${feed}/stream${query}`, options);
  assert.equal(listener.response.statusCode, 200);
  await until(() => listener.lastId !== undefined, 'it listens');
  return listener;
}

async function refusal(path: string, options: Call = {}) {
  const listener = await call(path, options);
  await listener.ended;
  const { statusCode, headers } = listener.response;
  assert.deepEqual(Object.keys(JSON.parse(listener.text)), ['error', 'successful']);
  return [statusCode, headers['x-error-code']];
}

const numbersOf = (events: readonly StreamEvent[]) => events.map(({ data }) => data.sequence);

const report = (service: string, count = 1, own: Rig = rig) =>
  own.report(service, researcher.token, { c2Address: `evil.example:${count}` });

describe('the stream of a feed', WAIT, () => {
  it('is not kept for a client that disconnected before it began', async (test) => {
    const begun = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const heads = async ({ feeds }: Store, scope: string | undefined) => {
      begun.resolve();
      await left.promise;
      return await feeds.heads(scope);
    };
    const between = (store: Store): Store => ({
      ...store,
      feeds: { ...store.feeds, heads: (scope) => heads(store, scope) },
    });
    const own = await ownRig(test, { between });
    const at = await listen(own);
    const path = `/feed/${await own.service()}/stream`;
    const gone = new Promise((resolve) =>
      own.app.server.once('connection', (socket) => socket.once('close', resolve)),
    );
    const sent = request({ port: at, path, headers: { authorization: own.admin } });
    sent.on('error', () => undefined).end();
    await begun.promise;
    sent.destroy();
    await gone;
    left.resolve();
    const { registry, sources } = own.deps.metrics;
    const hasBegun = /request_seconds_count\{.*\/stream",status="200"\} 1/;
    await until(async () => hasBegun.test(await registry.metrics()), 'it listens');
    await until(() => sources.listeners?.() === 0, 'all listeners are removed');
  });

  it('is counted while it is open', async (test) => {
    const own = await ownRig(test);
    const options = { at: await listen(own), token: own.admin };
    const service = await own.service();
    const listeners = async () => {
      const text = await own.deps.metrics.registry.metrics();
      return Number(/^rapsheet_stream_listeners (\d+)$/m.exec(text)?.[1]);
    };
    assert.equal(await listeners(), 0);
    const [one, other] = [await follow(service, '', options), await follow('all', '', options)];
    assert.equal(await listeners(), 2);
    one.leave();
    await until(async () => (await listeners()) === 1, 'one listens');
    other.leave();
  });

  it('is sent as server-sent events that are not cached', async () => {
    const listener = await follow(await rig.service());
    const { headers } = listener.response;
    assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['x-accel-buffering'], 'no');
    assert.match(String(headers['x-request-id']), /^[A-Za-z0-9_-]{8,}$/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(listener.text, ': connected\n\nretry: 3000\nid: 0\n\n');
    listener.leave();
  });

  it('sends creations, changes and deletions as they happen', async () => {
    const service = await rig.service();
    const owner = await rig.owner(service);
    const listener = await follow(service);
    const id = await report(service);
    await rig.answer(service, id, owner.token, { status: 'acknowledged' });
    await listener.received(2);
    await rig.remove(service, id, researcher.token);
    const events = await listener.received(3);
    assert.deepEqual(
      events.map(({ event, id: number, data }) => [event, number, data.type, data.sequence]),
      [
        ['created', '1', 'created', 1],
        ['updated', '2', 'updated', 2],
        ['deleted', '3', 'deleted', 3],
      ],
    );
    assert.equal(events[1]?.data.report?.status, 'acknowledged');
    assert.ok(events.every(({ data }) => data.id === id));
    listener.leave();
  });

  it('starts with the next change, or after a sequence', async () => {
    const service = await rig.service();
    for (const count of [1, 2, 3]) await report(service, count);
    const [fromNow, fromHead, fromStart, fromTwo] = await Promise.all(
      ['', '?since=head', '?since=0', '?since=2'].map((query) => follow(service, query)),
    );
    await report(service, 4);
    assert.deepEqual(numbersOf((await fromNow?.received(1)) ?? []), [4]);
    assert.deepEqual(numbersOf((await fromHead?.received(1)) ?? []), [4]);
    assert.deepEqual(numbersOf((await fromStart?.received(4)) ?? []), [1, 2, 3, 4]);
    assert.deepEqual(numbersOf((await fromTwo?.received(2)) ?? []), [3, 4]);
    for (const listener of [fromNow, fromHead, fromStart, fromTwo]) listener?.leave();
  });

  it('resumes after the last event of the client, by header or query', async () => {
    const service = await rig.service();
    for (const count of [1, 2, 3]) await report(service, count);
    for (const [query, headers] of [
      ['', { 'last-event-id': '1' }],
      ['?last_event_id=1', {}],
      ['?lastEventId=1', {}],
      ['?since=0', { 'last-event-id': '1' }],
    ] as const) {
      const listener = await follow(service, query, { headers });
      assert.deepEqual(numbersOf(await listener.received(2)), [2, 3]);
      listener.leave();
    }
  });

  it('misses and repeats nothing over many connections with concurrent writes', async () => {
    const service = await rig.service();
    const { token } = researcher;
    const writing = (async () => {
      for (let count = 1; count <= 300; count += 1)
        await rig.bulk(service, token, [
          { c2Address: `evil.example:${count}`, file256Hash: 'ab'.repeat(32) },
        ]);
    })();
    const numbers: number[] = [];
    let lastId = '0';
    while (numbers.length < 300) {
      const listener = await follow(service, '', { headers: { 'last-event-id': lastId } });
      await listener.received(Math.min(7, 300 - numbers.length));
      listener.leave();
      await listener.ended;
      numbers.push(...numbersOf(listener.events));
      lastId = listener.events.at(-1)?.id ?? lastId;
    }
    await writing;
    assert.deepEqual(
      numbers,
      Array.from({ length: 300 }, (_, index) => index + 1),
    );
  });

  it('reads the store once for all its clients', async (test) => {
    let reads = 0;
    const own = await ownRig(test, {
      between: (store) => ({
        ...store,
        feeds: {
          ...store.feeds,
          changes: (query, present) => {
            reads += 1;
            return store.feeds.changes(query, present);
          },
        },
      }),
    });
    const at = await listen(own);
    const service = await own.service();
    const { token } = await own.researcher();
    const all = await Promise.all(
      Array.from({ length: 20 }, () => follow(service, '', { token, at })),
    );
    reads = 0;
    await own.report(service, token);
    for (const listener of all) assert.deepEqual(numbersOf(await listener.received(1)), [1]);
    // One read per client would be twenty; a timer tick may add one.
    assert.ok(reads < 6, String(reads));
    for (const listener of all) listener.leave();
  });

  it('resets a client whose position is no longer retained, and continues from the head', async (test) => {
    const own = await ownRig(test);
    const at = await listen(own);
    const service = await own.service();
    const { token } = await own.researcher();
    await own.report(service, token, { c2Address: 'a.example:1' });
    own.clock.advance(1000);
    await own.deps.store.feeds.deleteOldChanges(own.clock.now(), 100);
    const listener = await follow(service, '', { token, at, headers: { 'last-event-id': '0' } });
    await own.report(service, token, { c2Address: 'b.example:1' });
    const events = await listener.received(2);
    assert.deepEqual(events.map(({ event, id, data }) => [event, id, data]).slice(0, 1), [
      ['reset', '1', { reason: 'dropped', next: 1 }],
    ]);
    assert.deepEqual([events[1]?.event, events[1]?.id], ['created', '2']);
    listener.leave();
  });

  for (const id of ['99', 'x', '-1', '1.5', 'AAAA'])
    it(`resets a client that resumes with ${id}`, async () => {
      const service = await rig.service();
      const listener = await follow(service, '', { headers: { 'last-event-id': id } });
      const [event] = await listener.received(1);
      assert.deepEqual([event?.event, event?.id], ['reset', '0']);
      assert.deepEqual(event?.data, { reason: 'unknown', next: 0 });
      listener.leave();
    });

  it('is refused for its token, its service and its query, before it opens', async () => {
    const service = await rig.service();
    const path = `/feed/${service}/stream`;
    assert.deepEqual(await refusal(path, { token: undefined }), [401, 'token_missing']);
    assert.deepEqual(await refusal(path, { token: 'rap_bad' }), [401, 'token_invalid']);
    assert.deepEqual(await refusal('/feed/nobody/stream'), [404, 'unknown_service']);
    assert.deepEqual(await refusal(`${path}?since=5`), [400, 'since_ahead']);
    assert.deepEqual(await refusal(`${path}?since=-5`), [400, 'invalid_query']);
    assert.deepEqual(await refusal(`${path}?limit=5`), [400, 'invalid_query']);
  });

  it('is refused while the store cannot be read', async (test) => {
    const failing = (store: Store): Store => ({
      ...store,
      feeds: { ...store.feeds, heads: () => Promise.reject(new Problem('unavailable')) },
    });
    const own = await ownRig(test, { between: failing });
    const at = await listen(own);
    const service = await own.service();
    const path = `/feed/${service}/stream`;
    assert.deepEqual(await refusal(path, { token: own.admin, at }), [503, 'unavailable']);
  });
});

describe('the stream of all feeds', WAIT, () => {
  it('sends the changes of every feed, even of one that is added later, with a position in all feeds', async () => {
    const first = await rig.service();
    const listener = await follow('all');
    await report(first);
    // Changes that are read together would be sent feed by feed.
    await listener.received(1);
    const later = await rig.service();
    await report(later);
    await listener.received(2);
    await report(first, 2);
    const events = await listener.received(3);
    assert.deepEqual(
      events.map(({ data }) => [data.service, data.sequence]),
      [
        [first, 1],
        [later, 1],
        [first, 2],
      ],
    );
    const headers = { 'last-event-id': events[0]?.id ?? '' };
    const again = await follow('all', '', { headers });
    assert.deepEqual(
      (await again.received(2)).map(({ data }) => [data.service, data.sequence]).toSorted(),
      [
        [later, 1],
        [first, 2],
      ].toSorted(),
    );
    listener.leave();
    again.leave();
  });

  it('resumes from a position that the changes route returned', async () => {
    const service = await rig.service();
    await report(service);
    const { json } = await rig.ask('GET', '/feed/all/changes?since=head', { token: reader.token });
    await report(service, 2);
    const listener = await follow('all', `?since=${json['next']}`);
    assert.deepEqual(numbersOf(await listener.received(1)), [2]);
    const changes = await rig.ask('GET', `/feed/all/changes?since=${listener.events[0]?.id}`, {
      token: reader.token,
    });
    assert.deepEqual(changes.json['changes'], []);
    listener.leave();
  });

  it('is refused for an invalid `since`, and reset for an invalid id', async () => {
    assert.deepEqual(await refusal('/feed/all/stream?since=17'), [400, 'invalid_cursor']);
    const listener = await follow('all', '', { headers: { 'last-event-id': '17' } });
    assert.equal((await listener.received(1))[0]?.event, 'reset');
    listener.leave();
  });
});

describe('a stream ends', WAIT, () => {
  it('soon after its token is revoked', async () => {
    const service = await rig.service();
    const account = await rig.reader();
    const listener = await follow(service, '', { token: account.token });
    const { json } = await rig.ask('GET', '/api/tokens', { token: account.token });
    const [token] = json['tokens'] as { id: string }[];
    await rig.ask('DELETE', `/api/tokens/${token?.id}`, { token: account.token });
    await listener.ended;
    assert.match(listener.text, /: the token is no longer valid\n\n$/);
    assert.deepEqual(await refusal(`/feed/${service}/stream`, { token: account.token }), [
      401,
      'token_invalid',
    ]);
  });

  it('soon after its account is disabled', async () => {
    const account = await rig.reader();
    const listener = await follow('all', '', { token: account.token });
    const body = { disabled: true };
    await rig.ask('PATCH', `/admin/accounts/${account.id}`, { token: rig.admin, body });
    await listener.ended;
  });

  it('at shutdown, complete and with an id to resume from', async () => {
    const own = await openRig();
    const at = await listen(own);
    const service = await own.service();
    const { token } = await own.researcher();
    const listener = await follow(service, '', { token, at });
    await own.report(service, token);
    await listener.received(1);
    await Promise.all([own.close(), listener.ended]);
    assert.equal(listener.response.complete, true);
    assert.equal(listener.lastId, '1');
    assert.match(listener.text, /: the server is shutting down; reconnect and resume\n\n$/);
  });

  it('for a client that reads nothing, without delaying the others', async (test) => {
    const own = await ownRig(test);
    const at = await listen(own);
    const service = await own.service();
    const { token } = await own.researcher();
    const slow = connect(at, '127.0.0.1');
    slow.on('error', () => undefined);
    slow.write(
      `GET /feed/${service}/stream HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n\r\n`,
    );
    // The client reads the first bytes and then nothing more.
    await once(slow, 'data');
    slow.pause();
    const quick = await follow(service, '', { token, at });
    const connections = () => connectionsTo(own);
    assert.equal(await connections(), 2);
    const tags = Array.from({ length: 32 }, (_, index) => `${index}`.padEnd(64, 'x'));
    const line = { c2Address: 'evil.example:1', file256Hash: 'ab'.repeat(32), tags };
    for (let sent = 0; sent < 40 && (await connections()) > 1; sent += 1)
      await own.bulk(
        service,
        token,
        Array.from({ length: 250 }, () => line),
      );
    await until(async () => (await connections()) === 1, 'one is connected');
    const head = (await own.deps.store.feeds.heads(service)).get(service) ?? 0;
    await quick.received(head);
    assert.equal(quick.events.length, head);
    quick.leave();
    slow.destroy();
  });
});

describe('a ticket', WAIT, () => {
  async function ticketFor(feed: string, token = reader.token): Promise<string> {
    const answer = await rig.ask('POST', `/feed/${feed}/stream/tickets`, { token });
    assert.equal(answer.status, 201);
    assert.deepEqual(Object.keys(answer.json), ['ticket', 'expiresAt']);
    assert.equal(answer.json['expiresAt'], '2026-08-26T10:00:30Z');
    return answer.json['ticket'] as string;
  }

  it('opens its stream once, without a token', async () => {
    const service = await rig.service();
    for (const feed of [service, 'all']) {
      const query = `?ticket=${await ticketFor(feed)}`;
      const listener = await follow(feed, query, { token: undefined });
      listener.leave();
      const again = await refusal(`/feed/${feed}/stream${query}`, { token: undefined });
      assert.deepEqual(again, [401, 'ticket_invalid']);
    }
  });

  it('opens no other stream, and nothing else', async () => {
    const [service, other] = [await rig.service(), await rig.service()];
    const ticket = await ticketFor(service);
    for (const [path, code] of [
      [`/feed/${other}/stream?ticket=${ticket}`, 'ticket_invalid'],
      [`/feed/all/stream?ticket=${ticket}`, 'ticket_invalid'],
      [`/feed/${service}/stream?ticket=x`, 'ticket_invalid'],
      [`/feed/${service}/stream?ticket=`, 'ticket_invalid'],
      [`/feed/${service}/changes?ticket=${ticket}`, 'token_missing'],
      [`/api/balance?ticket=${ticket}`, 'token_missing'],
    ] as const)
      assert.deepEqual(await refusal(path, { token: undefined }), [401, code], path);
    const listener = await follow(service, `?ticket=${ticket}`, { token: undefined });
    listener.leave();
  });

  it('is ignored if there is a token', async () => {
    const service = await rig.service();
    const path = `/feed/${service}/stream?ticket=${await ticketFor(service)}`;
    assert.deepEqual(await refusal(path, { token: 'rap_bad' }), [401, 'token_invalid']);
    const listener = await follow(service, '?ticket=x');
    listener.leave();
  });

  it('does not outlive its token, nor does its stream', async () => {
    const service = await rig.service();
    const account = await rig.reader();
    const [first, second] = [
      await ticketFor(service, account.token),
      await ticketFor(service, account.token),
    ];
    const listener = await follow(service, `?ticket=${first}`, { token: undefined });
    const body = { disabled: true };
    await rig.ask('PATCH', `/admin/accounts/${account.id}`, { token: rig.admin, body });
    await listener.ended;
    const path = `/feed/${service}/stream?ticket=${second}`;
    assert.deepEqual(await refusal(path, { token: undefined }), [401, 'ticket_invalid']);
  });

  it('of a session ends with the session, as its streams do', async () => {
    const service = await rig.service();
    const browser = await signedIn(rig, (await rig.reader()).token);
    const ticketOf = async () =>
      (await browser.ask('POST', `/feed/${service}/stream/tickets`)).json['ticket'];
    const [first, second] = [await ticketOf(), await ticketOf()];
    const cookie = String(browser.cookie);
    const streams = [
      await follow(service, `?ticket=${first}`, { token: undefined, headers: { cookie } }),
      await follow(service, '', { token: undefined, headers: { cookie } }),
    ];
    // Whether or not the session is cached, a ticket is used instead of the cookie.
    for (const path of [`?ticket=${first}`, '?ticket=x'])
      assert.deepEqual(
        await refusal(`/feed/${service}/stream${path}`, { token: undefined, headers: { cookie } }),
        [401, 'ticket_invalid'],
      );
    await browser.ask('DELETE', '/session');
    for (const stream of streams) await stream.ended;
    const path = `/feed/${service}/stream?ticket=${second}`;
    assert.deepEqual(await refusal(path, { token: undefined }), [401, 'ticket_invalid']);
  });

  it('expires after 30 seconds', async (test) => {
    const own = await ownRig(test);
    const at = await listen(own);
    const { json } = await own.ask('POST', '/feed/all/stream/tickets', { token: own.admin });
    own.clock.advance(30_000);
    const path = `/feed/all/stream?ticket=${json['ticket']}`;
    assert.deepEqual(await refusal(path, { token: undefined, at }), [401, 'ticket_invalid']);
  });

  it('is issued to any active account, and never logged', async (test) => {
    const lines: string[] = [];
    const own = await ownRig(test, { log: (line) => lines.push(line) });
    const at = await listen(own);
    assert.equal((await own.ask('POST', '/feed/all/stream/tickets')).code, 'token_missing');
    const { json } = await own.ask('POST', '/feed/all/stream/tickets', { token: own.admin });
    const ticket = String(json['ticket']);
    const query = `?ticket=${ticket}`;
    const listener = await follow('all', query, { token: undefined, at });
    await refusal(`/feed/all/stream${query}`, { token: undefined, at });
    listener.leave();
    assert.ok(lines.length > 0);
    assert.ok(lines.every((line) => !line.includes(ticket)));
  });
});
