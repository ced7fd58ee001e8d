import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import type { AccountLimits } from '../../../src/domain/accounts/account-limits.ts';
import type { Exports } from '../../../src/ports/exports.ts';
import { createBody, sha256Of } from '../../builders.ts';
import { until } from '../../until.ts';
import { FORM_TYPE, filePart, ownRig, type Rig, type TestAccount } from '../http-rig.ts';
import { listen } from '../wire.ts';

/** The timeout ends a test that hangs; it does not measure speed. */
const WAIT = { timeout: 120_000 };

async function limited(test: TestContext, accountLimits: Partial<AccountLimits>) {
  const rig = await ownRig(test, { accountLimits, compatWebSocket: true });
  return { rig, port: await listen(rig) };
}

/** The number of requests that the limit has refused. */
async function refusalsBy({ deps }: Rig, limit: string): Promise<number> {
  const metric = deps.metrics.registry.getSingleMetric('rapsheet_account_limit_refusals_total');
  const found = await metric?.get();
  return found?.values.find(({ labels }) => labels['limit'] === limit)?.value ?? Number.NaN;
}

describe('concurrent uploads', WAIT, () => {
  function beginUpload(port: number, { token }: TestAccount): Socket {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `POST /private/upload HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: ${FORM_TYPE}\r\nContent-Length: 200000\r\n\r\n`,
    );
    socket.write(filePart('x'.repeat(100_000), 'evil.exe').subarray(0, 50_000));
    return socket;
  }

  it('are limited for each account, until one of them ends', async (test) => {
    const { rig, port } = await limited(test, { uploads: 2 });
    const [one, other] = [await rig.researcher(), await rig.researcher()];
    const sockets = [beginUpload(port, one), beginUpload(port, one)];
    await until(async () => (await rig.filesLeft()).length === 2, 'two are under way');
    const refused = await rig.upload(one.token, 'a third');
    assert.equal(refused.status, 429);
    assert.equal(refused.code, 'too_many_uploads');
    assert.equal(refused.headers['retry-after'], '5');
    assert.equal(await refusalsBy(rig, 'uploads'), 1);
    assert.equal((await rig.upload(other.token, 'of another')).status, 200);
    sockets[0]?.destroy();
    await until(
      async () => (await rig.upload(one.token, 'a third')).status === 200,
      'one has ended, and the next is taken',
    );
    sockets[1]?.destroy();
  });

  it('do not count while they wait for their analysis', async (test) => {
    const { rig } = await limited(test, { uploads: 1 });
    const { token } = await rig.researcher();
    const waiting = rig.upload(token, 'first', { headers: { prefer: 'wait=30' } });
    await until(async () => (await rig.countJobs()) === 1, 'it is stored');
    const second = await rig.upload(token, 'second');
    assert.equal(second.status, 200);
    await rig.finish(sha256In(await rig.upload(token, 'first')));
    assert.equal((await waiting).json['status'], 'done');
  });
});

describe('concurrent batches', WAIT, () => {
  it('are limited for each account, until one of them ends', async (test) => {
    const { rig, port } = await limited(test, { uploads: 1 });
    const service = await rig.service();
    const { token } = await rig.researcher();
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `POST /feed/${service}/reports HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: application/x-ndjson\r\nContent-Length: 100000\r\n\r\n`,
    );
    socket.write(`${JSON.stringify(createBody())}\n`);
    // The batch has started when its first line is answered.
    await once(socket, 'data');
    const refused = await rig.bulk(service, token, [createBody()]);
    assert.equal(refused.status, 429);
    assert.equal(refused.code, 'too_many_uploads');
    socket.destroy();
    await until(
      async () => (await rig.bulk(service, token, [createBody()])).status === 200,
      'it has ended, and the next is taken',
    );
  });
});

const sha256In = ({ json }: { readonly json: Readonly<Record<string, unknown>> }) =>
  String(json['sha256Hash']);

describe('exports', WAIT, () => {
  const version = { tag: 'x'.repeat(32), changedAt: new Date(0).toISOString() };

  /** Exports that never end. */
  const ENDLESS: Exports = {
    version: async () => version,
    open: async (_, { signal }) => ({
      ...version,
      async *bytes() {
        yield Buffer.from('a line\n');
        await once(signal, 'abort');
      },
      size: () => undefined,
      close: () => undefined,
    }),
  };

  it('are limited for each account, until one of them is closed', async (test) => {
    const rig = await ownRig(test, {
      accountLimits: { exports: 2 },
      betweenExports: () => ENDLESS,
    });
    const port = await listen(rig);
    const path = `/feed/${await rig.service()}/export/ndjson`;
    const [one, other] = [await rig.reader(), await rig.reader()];
    const read = async ({ token }: TestAccount, headers = {}) => {
      const sent = request({ port, path, headers: { authorization: token, ...headers } });
      sent.on('error', () => undefined).end();
      const [response] = await once(sent, 'response');
      return { sent, response };
    };
    const open = [await read(one), await read(one)];
    const { response: refused } = await read(one);
    assert.equal(refused.statusCode, 429);
    assert.equal(refused.headers['x-error-code'], 'too_many_exports');
    assert.equal(refused.headers['retry-after'], '5');
    assert.equal(await refusalsBy(rig, 'exports'), 1);
    const known = await read(one, { 'if-none-match': `"${version.tag}"` });
    assert.equal(known.response.statusCode, 304, 'an answer without bytes takes no slot');
    open.push(await read(other));
    assert.deepEqual(
      open.map(({ response }) => response.statusCode),
      [200, 200, 200],
    );
    open[0]?.sent.destroy();
    await until(async () => {
      const again = await read(one);
      open.push(again);
      return again.response.statusCode === 200;
    }, 'one is closed, and the next is let in');
    for (const { sent } of open) sent.destroy();
  });

  it('include the documents of a MISP feed and lists of indicators', async (test) => {
    const [full, single] = [
      await ownRig(test, { accountLimits: { exports: 0 }, exports: {} }),
      await ownRig(test, { accountLimits: { exports: 1 }, exports: {} }),
    ];
    for (const rig of [full, single]) {
      const service = await rig.service();
      const { token } = await rig.researcher();
      await rig.report(service, token);
      const hashes = () => rig.ask('GET', `/misp/${service}/hashes.csv`, { token });
      const body = { query: 'get_iocs', days: 1 };
      const iocs = () => rig.ask('POST', '/threatfox/api/v1/', { token, body });
      const expected = rig === full ? [429, 'too_many_exports'] : [200, undefined];
      // Twice: the slot of the first answer is free again.
      for (const ask of [hashes, hashes, iocs, iocs]) {
        const { status, headers } = await ask();
        assert.deepEqual([status, headers['x-error-code']], expected);
      }
    }
  });
});

describe('streams', WAIT, () => {
  function follow(port: number, { token }: TestAccount, service: string): ClientRequest {
    const sent = request({
      port,
      path: `/feed/${service}/stream`,
      headers: { authorization: token },
      agent: false,
    });
    sent.on('error', () => undefined);
    sent.end();
    return sent;
  }

  const statusOf = async (sent: ClientRequest) => {
    const [response] = await once(sent, 'response');
    response.resume();
    return response.statusCode as number;
  };

  it('are limited for each account, until one of them is closed', async (test) => {
    const { rig, port } = await limited(test, { streams: 2 });
    const service = await rig.service();
    const [one, other] = [await rig.reader(), await rig.reader()];
    const open = [follow(port, one, service), follow(port, one, service)];
    assert.deepEqual(await Promise.all(open.map(statusOf)), [200, 200]);
    const refused = await rig.ask('GET', `/feed/${service}/stream`, { token: one.token });
    assert.equal(refused.status, 429);
    assert.equal(refused.code, 'too_many_streams');
    assert.match(refused.text, /2 open streams/);
    assert.equal(await refusalsBy(rig, 'streams'), 1);
    const ofOther = follow(port, other, service);
    assert.equal(await statusOf(ofOther), 200);
    open[0]?.destroy();
    await until(async () => {
      const again = follow(port, one, service);
      const status = await statusOf(again);
      if (status === 200) open.push(again);
      return status === 200;
    }, 'one is closed, and the next is let in');
    for (const sent of [...open, ofOther]) sent.destroy();
  });

  it('that are refused for another reason do not count', async (test) => {
    const { rig, port } = await limited(test, { streams: 1 });
    const service = await rig.service();
    const reader = await rig.reader();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const path = `/feed/${service}/stream?since=99`;
      const ahead = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { authorization: reader.token },
      });
      assert.equal(ahead.headers.get('x-error-code'), 'since_ahead');
      await ahead.text();
    }
    const sent = follow(port, reader, service);
    assert.equal(await statusOf(sent), 200);
    sent.destroy();
  });
});

describe('WebSockets', WAIT, () => {
  it('are limited for each account, until one of them is closed', async (test) => {
    const { rig, port } = await limited(test, { webSockets: 1 });
    const [one, other] = [await rig.reader(), await rig.reader()];
    const open = (token: string) =>
      new WebSocket(`ws://127.0.0.1:${port}/websocket?hash=${sha256Of('x')}&apikey=${token}`);
    const first = open(one.token);
    await once(first, 'message');
    const refused = async () => {
      const second = open(one.token);
      const outcome = await Promise.race([
        once(second, 'error').then(([error]) => String(error)),
        once(second, 'message').then(() => 'open'),
      ]);
      second.terminate();
      return outcome;
    };
    assert.match(await refused(), /429/);
    assert.equal(await refusalsBy(rig, 'websockets'), 1);
    const ofOther = open(other.token);
    await once(ofOther, 'message');
    first.terminate();
    await until(async () => (await refused()) === 'open', 'one is closed, and the next is let in');
    ofOther.terminate();
  });
});

describe('tokens', WAIT, () => {
  it('are limited for each account, even if an administrator issues them', async (test) => {
    const { rig } = await limited(test, { tokens: 3 });
    const { id, token } = await rig.reader();
    const issue = () => rig.ask('POST', '/api/tokens', { token });
    const issueAsAdmin = () =>
      rig.ask('POST', `/admin/accounts/${id}/tokens`, { token: rig.admin });
    assert.equal((await issue()).status, 201);
    const third = await issueAsAdmin();
    assert.equal(third.status, 201);
    for (const refused of [await issue(), await issueAsAdmin()]) {
      assert.equal(refused.status, 409);
      assert.equal(refused.code, 'too_many_tokens');
      assert.match(refused.text, /at most 3 tokens/);
    }
    assert.equal(await refusalsBy(rig, 'tokens'), 2);
    await rig.ask('DELETE', `/api/tokens/${third.json['id']}`, { token });
    assert.equal((await issue()).status, 201);
  });

  it('that have expired do not count', async (test) => {
    const { rig } = await limited(test, { tokens: 2 });
    const { token } = await rig.reader();
    const expiresAt = new Date(rig.clock.now().getTime() + 60_000).toISOString();
    const issue = () => rig.ask('POST', '/api/tokens', { token, body: { expiresAt } });
    assert.equal((await issue()).status, 201);
    assert.equal((await issue()).status, 409);
    rig.clock.advance(61_000);
    assert.equal((await rig.ask('POST', '/api/tokens', { token })).status, 201);
  });

  it('are listed in pages', async (test) => {
    const { rig } = await limited(test, {});
    const { id, token } = await rig.reader();
    for (let issued = 0; issued < 4; issued += 1) await rig.ask('POST', '/api/tokens', { token });
    const other = await rig.reader();
    for (const [url, caller] of [
      ['/api/tokens', token],
      [`/admin/accounts/${id}/tokens`, rig.admin],
    ] as const) {
      const whole = await rig.ask('GET', url, { token: caller });
      const all = whole.json['tokens'] as readonly { readonly id: string }[];
      assert.equal(all.length, 5);
      assert.deepEqual([whole.json['hasMore'], whole.json['nextCursor']], [false, null]);
      const first = await rig.ask('GET', `${url}?limit=3`, { token: caller });
      assert.equal(first.json['hasMore'], true);
      const cursor = String(first.json['nextCursor']);
      const rest = await rig.ask('GET', `${url}?limit=3&cursor=${cursor}`, { token: caller });
      assert.equal(rest.json['hasMore'], false);
      assert.deepEqual(
        [...(first.json['tokens'] as typeof all), ...(rest.json['tokens'] as typeof all)],
        all,
      );
      const foreign = await rig.ask('GET', `/api/tokens?cursor=${cursor}`, { token: other.token });
      assert.equal(foreign.code, 'invalid_cursor');
      assert.equal((await rig.ask('GET', `${url}?limit=0`, { token: caller })).status, 400);
    }
  });
});

describe('stored bytes', WAIT, () => {
  it('are limited for each account, and released when a file is removed', async (test) => {
    const { rig } = await limited(test, { storedBytes: 100 });
    const [one, other] = [await rig.researcher(), await rig.researcher()];
    const first = await rig.upload(one.token, 'a'.repeat(60));
    assert.equal(first.status, 200);
    const refused = await rig.upload(one.token, 'b'.repeat(41));
    assert.equal(refused.status, 413);
    assert.equal(refused.code, 'stored_bytes_exceeded');
    assert.match(refused.text, /stored 60 of at most 100 bytes: a file of 41 bytes/);
    assert.equal(await refusalsBy(rig, 'stored_bytes'), 1);
    assert.equal((await rig.filesLeft()).length, 1, 'nothing of it is left');
    assert.equal((await rig.upload(one.token, 'a'.repeat(60))).status, 200, 'it is there already');
    assert.equal((await rig.upload(one.token, 'c'.repeat(40))).status, 200);
    assert.equal((await rig.upload(other.token, 'd'.repeat(100))).status, 200);
    assert.equal((await rig.upload(other.token, 'a'.repeat(60))).status, 200, 'not stored twice');
    const url = `/admin/samples/${sha256In(first)}`;
    assert.equal((await rig.ask('DELETE', url, { token: rig.admin })).status, 200);
    assert.equal((await rig.upload(one.token, 'b'.repeat(41))).status, 200);
  });
});

describe('the rate of creates', WAIT, () => {
  const rate = { createRate: { perMinute: 60, burst: 3 } };

  it('is limited for each account, and stated in the headers of every create', async (test) => {
    const { rig } = await limited(test, rate);
    const service = await rig.service();
    const [one, other] = [await rig.researcher(), await rig.researcher()];
    const first = await rig.create(service, one.token);
    const now = rig.clock.now().getTime() / 1000;
    assert.equal(first.status, 201);
    assert.equal(first.headers['x-ratelimit-limit'], '3');
    assert.equal(first.headers['x-ratelimit-remaining'], '2');
    assert.equal(first.headers['x-ratelimit-reset'], String(Math.ceil(now + 1)));
    assert.equal(first.headers['ratelimit-policy'], '"create";q=3;w=3');
    assert.equal(first.headers['ratelimit'], '"create";r=2;t=1');
    for (let attempt = 0; attempt < 2; attempt += 1)
      assert.equal((await rig.create(service, one.token)).status, 201);
    const refused = await rig.create(service, one.token);
    assert.equal(refused.status, 429);
    assert.equal(refused.code, 'rate_limited');
    assert.equal(refused.headers['retry-after'], '1');
    assert.equal(refused.headers['ratelimit'], '"create";r=0;t=1');
    assert.equal(await refusalsBy(rig, 'create_rate'), 1);
    assert.equal((await rig.create(service, other.token)).status, 201);
    rig.clock.advance(1000);
    assert.equal((await rig.create(service, one.token)).status, 201);
    assert.equal((await rig.create(service, one.token)).status, 429);
  });

  it('counts each line of a batch, which is throttled and not refused', async (test) => {
    const { rig } = await limited(test, { createRate: { perMinute: 6000, burst: 5 } });
    const service = await rig.service();
    const { token } = await rig.researcher();
    const batch = await rig.bulk(
      service,
      token,
      Array.from({ length: 20 }, () => createBody()),
    );
    const lines = batch.text.trim().split('\n');
    assert.equal(lines.filter((line) => JSON.parse(line).successful).length, 20);
    const refused = await rig.create(service, token);
    assert.equal(refused.code, 'rate_limited', 'by that clock no time has passed');
    const next = await rig.bulk(service, token, [createBody()]);
    assert.equal(next.status, 429);
    assert.equal(next.code, 'rate_limited');
    rig.clock.advance(160);
    assert.equal((await rig.bulk(service, token, [createBody()])).status, 200);
  });

  it('is told before the first line of a batch that is throttled', async (test) => {
    const { rig } = await limited(test, { createRate: { perMinute: 6000, burst: 50 } });
    const service = await rig.service();
    const { token } = await rig.researcher();
    const send = (count: number) => {
      const lines = Array.from({ length: count }, () => createBody());
      return rig.bulk(service, token, lines);
    };
    const quick = await send(20);
    assert.equal(quick.headers['x-batch-seconds'], undefined);
    const slow = await send(230);
    assert.equal(slow.headers['x-batch-rate'], '100');
    assert.equal(slow.headers['ratelimit'], '"create";r=30;t=1');
    assert.equal(slow.headers['x-batch-seconds'], '2');
    assert.equal(slow.text.trim().split('\n').length, 230);
  });

  it('can be set for an account, from its next request on', async (test) => {
    const { rig } = await limited(test, { createRate: { perMinute: 60, burst: 3 } });
    const service = await rig.service();
    const { id, token } = await rig.researcher();
    const set = (createRate: object | null) =>
      rig.ask('PATCH', `/admin/accounts/${id}`, { token: rig.admin, body: { createRate } });
    for (let attempt = 0; attempt < 3; attempt += 1) await rig.create(service, token);
    assert.equal((await rig.create(service, token)).code, 'rate_limited');
    const own = { perMinute: 600, burst: 10 };
    const changed = await set(own);
    assert.deepEqual((changed.json['account'] as { createRate: unknown }).createRate, own);
    const me = await rig.ask('GET', '/api/me', { token });
    assert.deepEqual(me.json['createRate'], own);
    const raised = await rig.create(service, token);
    assert.deepEqual(
      [raised.status, raised.headers['ratelimit-policy'], raised.headers['x-ratelimit-remaining']],
      [201, '"create";q=10;w=1', '6'],
      'the three of before stay used',
    );
    const batch = await rig.bulk(
      service,
      token,
      Array.from({ length: 6 }, () => createBody()),
    );
    assert.equal(batch.headers['ratelimit'], '"create";r=6;t=1');
    assert.equal((await rig.create(service, token)).code, 'rate_limited');
    await set(null);
    const again = await rig.create(service, token);
    assert.deepEqual([again.code, again.headers['x-ratelimit-limit']], ['rate_limited', '3']);
    for (const wrong of [
      { perMinute: 5 },
      { perMinute: 0, burst: 1 },
      { perMinute: 1, burst: 1e9 },
    ])
      assert.equal((await set(wrong)).code, 'invalid_body');
  });

  it('is not limited if the limit is disabled', async (test) => {
    const { rig } = await limited(test, { createRate: { perMinute: undefined, burst: 1 } });
    const service = await rig.service();
    const { token } = await rig.researcher();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const answer = await rig.create(service, token);
      assert.equal(answer.status, 201);
      assert.equal(answer.headers['ratelimit'], undefined);
    }
  });

  it('allows a full batch by default', async (test) => {
    const { rig } = await limited(test, {});
    const { create } = rig.deps.rates;
    assert.equal(create.reserve('a', 10_000), 0);
    assert.equal(create.reserve('a', 10_000), 0);
    assert.equal(create.reserve('a', 100), 1000);
  });
});

describe('the rate of uploads', WAIT, () => {
  it('is limited for each account, before the body is read', async (test) => {
    const { rig } = await limited(test, { uploadRate: { perMinute: 60, burst: 2 } });
    const { token } = await rig.researcher();
    const first = await rig.upload(token, 'first');
    assert.equal(first.headers['ratelimit'], '"upload";r=1;t=1');
    assert.equal((await rig.upload(token, 'second')).status, 200);
    const refused = await rig.upload(token, 'third');
    assert.equal(refused.status, 429);
    assert.equal(refused.code, 'rate_limited');
    assert.match(refused.text, /rate limit \\"upload\\"/);
    assert.equal(await refusalsBy(rig, 'upload_rate'), 1);
    assert.equal((await rig.filesLeft()).length, 2);
    rig.clock.advance(1000);
    assert.equal((await rig.upload(token, 'third')).status, 200);
  });
});
