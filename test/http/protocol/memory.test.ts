import assert from 'node:assert/strict';
import { type AddressInfo, connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import type { Store } from '../../../src/ports/store.ts';
import { createBody, type WireAnalysis } from '../../builders.ts';
import { until } from '../../until.ts';
import { FORM_TYPE, ownRig, type Rig, type RigOptions } from '../http-rig.ts';
import { connectionsTo, listen, talk } from '../wire.ts';

const WAIT = { timeout: 120_000 };
const LARGE_BYTES = 600_000;

async function listening(test: TestContext, options: RigOptions = {}): Promise<Rig> {
  const rig = await ownRig(test, options);
  await listen(rig);
  return rig;
}

function largeAnalysis(rig: Rig, file = 'large'): Promise<WireAnalysis> {
  return rig.analyse(file, { configs: { LANTERN: { value: 'x'.repeat(LARGE_BYTES) } } });
}

/** The bytes of a batch lookup. */
function batch(token: string, hashes: readonly string[]): string {
  const body = JSON.stringify({ hashes });
  return `POST /private/samples HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** A connection that sends the bytes and reads nothing. */
function deaf(rig: Rig, text: string) {
  const { port } = rig.app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(text);
  return socket;
}

/** Counts the reports that are read one at a time. */
function countingReads(counts: { reads: number }): (store: Store) => Store {
  return (store) => ({
    ...store,
    samples: {
      ...store.samples,
      body: (key) => {
        counts.reads += 1;
        return store.samples.body(key);
      },
    },
  });
}

describe('a batch lookup of large reports', WAIT, () => {
  it('is answered completely, in order, and releases its memory', async (test) => {
    const rig = await listening(test);
    const { token } = await rig.reader();
    const large = await largeAnalysis(rig);
    const small = await rig.analyse('small');
    const hashes = [large.sha256Hash, 'x', small.blake3Hash, large.sha512Hash, 'f'.repeat(64)];
    const answer = await rig.ask('POST', '/private/samples', { token, body: { hashes } });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.json['results'], [
      { hash: hashes[0], status: 200, report: large },
      { hash: 'x', status: 400 },
      { hash: hashes[2], status: 200, report: small },
      { hash: hashes[3], status: 200, report: large },
      { hash: hashes[4], status: 404 },
    ]);
    assert.equal(answer.headers['x-ratelimit-remaining'], '995');
    await until(() => rig.deps.metrics.memory.heldBytes.answers === 0, 'nothing is counted');
  });

  it('reads no more than its client does, uses little memory, and stays charged when it is aborted', async (test) => {
    const counts = { reads: 0 };
    const rig = await listening(test, { between: countingReads(counts) });
    const { token } = await rig.reader();
    const { sha256Hash } = await largeAnalysis(rig);
    const { heldBytes } = rig.deps.metrics.memory;
    const socket = deaf(rig, batch(token, Array(100).fill(sha256Hash)));
    let before = 0;
    await until(() => {
      const isSteady = counts.reads > 0 && counts.reads === before;
      before = counts.reads;
      return isSteady;
    }, 'no more is read');
    assert.ok(counts.reads < 50, `${counts.reads} reports were read in advance`);
    assert.ok(heldBytes.answers <= 2.1 * LARGE_BYTES, `${heldBytes.answers} are counted`);
    socket.destroy();
    await until(() => heldBytes.answers === 0, 'nothing is counted');
    assert.equal(await rig.unitsLeft(token), 900);
  });

  it('reports 404 for a report that was removed before it was read', async (test) => {
    const removed = Promise.withResolvers<void>();
    const rig = await listening(test, {
      between: (store) => ({
        ...store,
        samples: {
          ...store.samples,
          body: async (key) => {
            await removed.promise;
            return store.samples.body(key);
          },
        },
      }),
    });
    const { token } = await rig.reader();
    const { sha256Hash: hash } = await largeAnalysis(rig);
    const asked = rig.ask('POST', '/private/samples', { token, body: { hashes: [hash] } });
    await until(async () => (await rig.unitsLeft(token)) === 999, 'it is charged');
    await rig.ask('DELETE', `/admin/samples/${hash}`, { token: rig.admin });
    removed.resolve();
    assert.deepEqual((await asked).json['results'], [{ hash, status: 404 }]);
  });

  it('is aborted, not shortened, if a report cannot be read', async (test) => {
    let reads = 0;
    const rig = await listening(test, {
      between: (store) => ({
        ...store,
        samples: {
          ...store.samples,
          body: async (key) => {
            reads += 1;
            if (reads > 1) throw new Error('the disk failed');
            return store.samples.body(key);
          },
        },
      }),
    });
    const { token } = await rig.reader();
    const { sha256Hash } = await largeAnalysis(rig);
    const received = await talk(rig, (socket) =>
      socket.write(batch(token, [sha256Hash, sha256Hash])),
    );
    assert.match(received, /^HTTP\/1\.1 200 /);
    assert.ok(!received.endsWith('0\r\n\r\n'), 'the response looks complete');
  });
});

describe('a lookup of a large report', WAIT, () => {
  it('returns it by every hash, once memory is available', async (test) => {
    const rig = await listening(test);
    const { token } = await rig.reader();
    const large = await largeAnalysis(rig);
    for (const hash of [large.sha256Hash, large.sha512Hash, large.blake3Hash]) {
      const answer = await rig.lookUp(hash, token);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.json, large);
    }
    assert.equal(rig.deps.metrics.memory.heldBytes.answers, 0);
  });

  it('costs nothing if the report cannot be read, alone or in a batch', async (test) => {
    const broken = () => Promise.reject(new Error('the store broke'));
    const rig = await listening(test, {
      between: (store) => ({
        ...store,
        samples: { ...store.samples, body: broken, lookUpLarge: broken },
      }),
    });
    const { token } = await rig.reader();
    const { sha256Hash } = await largeAnalysis(rig);
    assert.equal((await rig.lookUp(sha256Hash, token)).status, 500);
    const body = { hashes: [sha256Hash, 'x'] };
    assert.equal((await rig.ask('POST', '/private/samples', { token, body })).status, 500);
    assert.equal(await rig.unitsLeft(token), 1000);
  });

  it('is refused without charge to an account that leaves its share unread, and to no other', async (test) => {
    // A share has room for one report of this size.
    const rig = await listening(test, { limits: { memoryBytes: 4 * LARGE_BYTES } });
    const [{ token }, other] = [await rig.reader(), await rig.reader()];
    const { sha256Hash } = await largeAnalysis(rig);
    const socket = deaf(rig, batch(token, Array(50).fill(sha256Hash)));
    const { heldBytes } = rig.deps.metrics.memory;
    await until(() => heldBytes.answers > 0, 'an answer is not read');
    const refused = await rig.lookUp(sha256Hash, token);
    assert.deepEqual([refused.status, refused.code], [503, 'overloaded']);
    assert.equal(refused.headers['retry-after'], '5');
    const batched = await rig.ask('POST', '/private/samples', {
      token,
      body: { hashes: [sha256Hash] },
    });
    assert.equal(batched.code, 'overloaded');
    assert.equal(await rig.unitsLeft(token), 950);
    assert.equal((await rig.lookUp(sha256Hash, other.token)).status, 200);
    socket.destroy();
    await until(() => heldBytes.answers === 0, 'nothing is counted');
    assert.equal((await rig.lookUp(sha256Hash, token)).status, 200);
  });
});

describe('an account that uses its share of memory', WAIT, () => {
  const MEMORY_BYTES = 16 * 1024 * 1024;
  const SHARE_BYTES = MEMORY_BYTES / 4;

  it('is refused large pages until it reads, and other accounts are not', async (test) => {
    const rig = await listening(test, { limits: { memoryBytes: MEMORY_BYTES } });
    const [{ id, token }, other] = [await rig.researcher(), await rig.researcher()];
    const service = await rig.service();
    const tags = ['x'.repeat(60)];
    const lines = Array.from({ length: 150 }, () => createBody({ tags }));
    assert.equal((await rig.bulk(service, token, lines)).status, 200);
    const paths = [
      `/feed/${service}/reports?limit=100`,
      `/feed/${service}/reports?limit=150`,
      `/feed/${service}/changes?limit=100`,
      `/feed/${service}/changes?limit=150`,
    ];
    const lease = rig.app.memory.hold('answers', SHARE_BYTES, id);
    for (const path of paths) {
      const refused = await rig.ask('GET', path, { token });
      assert.deepEqual([refused.status, refused.code], [503, 'overloaded'], path);
      assert.equal(refused.headers['retry-after'], '5');
      assert.equal((await rig.ask('GET', path, { token: other.token })).status, 200, path);
    }
    assert.equal(rig.deps.metrics.memory.refusals.answers, paths.length);
    const small = await rig.ask('GET', `/feed/${service}/reports?limit=2`, { token });
    assert.equal(small.status, 200);
    lease.release();
    for (const path of paths)
      assert.equal((await rig.ask('GET', path, { token })).status, 200, path);
    const { heldBytes } = rig.deps.metrics.memory;
    await until(() => heldBytes.answers === 0, 'nothing is counted');
  });

  it('cannot reserve all memory with bodies that it does not send', async (test) => {
    const rig = await listening(test, { limits: { memoryBytes: MEMORY_BYTES } });
    const [{ token }, other] = [await rig.reader(), await rig.reader()];
    const { heldBytes, refusals } = rig.deps.metrics.memory;
    const head = `POST /private/samples HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const sockets = Array.from({ length: 150 }, () => deaf(rig, head));
    await until(() => refusals.bodies > 0 || heldBytes.bodies > 2 * SHARE_BYTES, 'all are read');
    assert.ok(heldBytes.bodies <= 1.1 * SHARE_BYTES, `${heldBytes.bodies} are held`);
    const hashes = Array.from({ length: 100 }, () => 'f'.repeat(128));
    const answer = await rig.ask('POST', '/private/samples', {
      token: other.token,
      body: { hashes },
    });
    assert.equal(answer.status, 200);
    for (const socket of sockets) socket.destroy();
    await until(() => heldBytes.bodies === 0, 'nothing is counted');
  });
});

describe('a server whose memory is used up', WAIT, () => {
  async function full(test: TestContext) {
    const rig = await listening(test, { limits: { memoryBytes: 1_000_000 } });
    rig.app.memory.hold('answers', 1_000_000);
    return rig;
  }

  it('refuses large requests with 503 and Retry-After, and counts them', async (test) => {
    const rig = await full(test);
    const { token } = await rig.researcher();
    const service = await rig.service();
    const answers = [
      await rig.bulk(service, token, [createBody()]),
      await rig.upload(token, 'MZ'),
      await rig.ask('POST', '/private/samples', { token, body: { hashes: ['x'] } }),
      await rig.ask('POST', `/feed/${service}/api`, {
        token,
        body: createBody({ tags: ['x'.repeat(20_000)] }),
      }),
    ];
    for (const answer of answers) {
      assert.deepEqual([answer.status, answer.code], [503, 'overloaded'], answer.text);
      assert.equal(answer.headers['retry-after'], '5');
    }
    const metrics = await rig.deps.metrics.registry.metrics();
    assert.match(metrics, /rapsheet_memory_refusals_total\{kind="bodies"\} 2/);
    assert.match(metrics, /rapsheet_memory_refusals_total\{kind="uploads"\} 1/);
    assert.match(metrics, /rapsheet_memory_held_bytes\{kind="answers"\} 1000000/);
    assert.match(metrics, /rapsheet_memory_budget_bytes 1000000/);
  });

  it('still answers small requests', async (test) => {
    const rig = await full(test);
    const { token } = await rig.researcher();
    const service = await rig.service();
    assert.equal((await rig.ask('GET', '/livez')).status, 200);
    assert.equal((await rig.ask('GET', '/readyz')).status, 200);
    const id = await rig.report(service, token);
    assert.equal((await rig.get(service, id)).status, 200);
    assert.equal((await rig.lookUp('f'.repeat(64), token)).status, 404);
  });

  it('is not used up by callers without a token', async (test) => {
    const rig = await listening(test, { limits: { memoryBytes: 4_000_000 } });
    const { heldBytes } = rig.deps.metrics.memory;
    const file = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';
    const sockets = Array.from({ length: 100 }, () => deaf(rig, file.repeat(20)));
    await until(() => heldBytes.answers >= 1_000_000, 'their share is used up');
    assert.ok(heldBytes.answers < 1_300_000, `${heldBytes.answers} are counted`);
    const refused = await rig.app.inject({ method: 'GET', url: '/docs/static/reference.css' });
    assert.equal(refused.headers['x-error-code'], 'overloaded');
    const { token } = await rig.researcher();
    assert.equal((await rig.upload(token, 'MZ')).status, 200);
    for (const socket of sockets) socket.destroy();
    await until(() => heldBytes.answers === 0, 'nothing is counted');
  });

  it('releases all of it when the clients disconnect', async (test) => {
    const rig = await listening(test);
    const { token } = await rig.researcher();
    const service = await rig.service();
    const { heldBytes } = rig.deps.metrics.memory;
    const head = (path: string, type: string, length: number) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;
    const sockets = [
      deaf(rig, head(`/feed/${service}/api`, 'application/json', 50_000)),
      deaf(rig, head(`/feed/${service}/reports`, 'application/x-ndjson', 50_000)),
      deaf(rig, head('/private/upload', FORM_TYPE, 50_000)),
    ];
    await until(() => heldBytes.bodies > 500_000 && heldBytes.uploads > 0, 'all are counted');
    for (const socket of sockets) socket.destroy();
    await until(() => heldBytes.bodies + heldBytes.uploads === 0, 'nothing is counted');
    await rig.bulk(service, token, [createBody()]);
    await rig.upload(token, 'MZ');
    await until(() => Object.values(heldBytes).every((bytes) => bytes === 0), 'nothing is counted');
  });
});

describe('connections', WAIT, () => {
  it('are closed if the client accepts none of the pending data', async (test) => {
    const rig = await listening(test, { limits: { writeTimeoutMs: 200 } });
    const { token } = await rig.reader();
    const { sha256Hash } = await largeAnalysis(rig);
    deaf(rig, batch(token, Array(100).fill(sha256Hash)));
    const { connections, heldBytes } = rig.deps.metrics.memory;
    await until(() => connections.stalled === 1, 'it is given up');
    await until(() => heldBytes.answers === 0, 'nothing is counted');
    await until(async () => (await connectionsTo(rig)) === 0, 'it is closed');
    assert.equal(connections.open, 0);
  });

  it('that wait for a response, or have received it, stay open', async (test) => {
    const rig = await listening(test, { limits: { writeTimeoutMs: 20 } });
    const { token } = await rig.reader();
    const service = await rig.service();
    const stream = `GET /feed/${service}/stream HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\n\r\n`;
    const idle = deaf(rig, 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    const following = deaf(rig, stream);
    const { connections } = rig.deps.metrics.memory;
    await until(() => connections.open === 2, 'both are open');
    for (let calls = 0; calls < 100; calls += 1) await rig.ask('GET', '/livez');
    assert.deepEqual([connections.open, connections.stalled], [2, 0]);
    idle.destroy();
    following.destroy();
  });

  it('from one address are limited, and from trusted proxies are not', async (test) => {
    const limits = { connectionsPerAddress: 3 };
    for (const [trustProxy, expected] of [
      [false, { open: 3, refused: 2 }],
      [['loopback'], { open: 5, refused: 0 }],
      [['127.0.0.0/8'], { open: 5, refused: 0 }],
    ] as const) {
      const rig = await listening(test, { limits, trustProxy });
      const { connections } = rig.deps.metrics.memory;
      const sockets = Array.from({ length: 5 }, () => deaf(rig, ''));
      await until(
        () => connections.open + connections.refused.address === 5,
        'all have been accepted or refused',
      );
      assert.deepEqual({ open: connections.open, refused: connections.refused.address }, expected);
      for (const socket of sockets) socket.destroy();
      await until(() => connections.open === 0, 'all are closed');
    }
  });

  it('are limited in total', async (test) => {
    const rig = await listening(test, { limits: { connections: 2 } });
    const { connections } = rig.deps.metrics.memory;
    const sockets = Array.from({ length: 3 }, () => deaf(rig, ''));
    await until(() => connections.refused.total === 1, 'one is refused');
    assert.equal(connections.open, 2);
    for (const socket of sockets) socket.destroy();
    await until(() => connections.open === 0, 'all are closed');
    assert.match(
      await talk(rig, (socket) =>
        socket.write('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
      ),
      /^HTTP\/1\.1 200 /,
    );
  });
});
