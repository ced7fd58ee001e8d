import assert from 'node:assert/strict';
import { after, afterEach, describe, it, type TestContext } from 'node:test';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { createBody, wireAnalysis } from '../../builders.ts';
import { onlyOnSqlite } from '../../database.ts';
import { until } from '../../until.ts';
import { openRig, ownRig } from '../http-rig.ts';
import { answersTo, answerTo, assertRefusal, listen, readAnswers, talk } from '../wire.ts';

const rig = await openRig();
await listen(rig);
after(() => rig.close());

const service = await rig.service();
const { token } = await rig.researcher();
const BODY = JSON.stringify(createBody());
const AUTH = `Host: x\r\nAuthorization: ${token}\r\n`;

/** A create with these headers and this body. */
function create(head: string, body = BODY): string {
  return `POST /feed/${service}/api HTTP/1.1\r\n${AUTH}Content-Type: application/json\r\n${head}\r\n${body}`;
}

/** The timeout ends a test that waits for a server that does not answer. */
const WAIT = { timeout: 180_000 };
const SIZED = `Content-Length: ${BODY.length}\r\n`;
const CLOSE = 'Connection: close\r\n';

function chunked(...parts: readonly string[]): string {
  return [...parts, '']
    .map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`)
    .join('');
}

afterEach(async () => {
  const alive = await answerTo(rig, `GET /livez HTTP/1.1\r\nHost: x\r\n${CLOSE}\r\n`);
  assert.equal(alive.status, 200, 'the server no longer serves');
});

describe('invalid HTTP', WAIT, () => {
  for (const [what, text] of Object.entries({
    'a TLS client hello': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
    'an unknown method': 'STEAL /livez HTTP/1.1\r\nHost: x\r\n\r\n',
    'an unknown version': 'GET /livez HTTP/9.9\r\nHost: x\r\n\r\n',
    'a header without a name': 'GET /livez HTTP/1.1\r\nHost: x\r\n: x\r\n\r\n',
    'a header without a colon': 'GET /livez HTTP/1.1\r\nHost: x\r\nx\r\n\r\n',
    'a null byte in a header': `GET /api/balance HTTP/1.1\r\n${AUTH}X: a\0b\r\n\r\n`,
    'non-ASCII bytes in the URL': `GET /private/sample/\xff HTTP/1.1\r\n${AUTH}\r\n`,
    'a length that is no number': create('Content-Length: x\r\n'),
    'a negative length': create('Content-Length: -1\r\n'),
    'two lengths': create('Content-Length: 5\r\nContent-Length: 6\r\n'),
    'a length and chunks': create(`${SIZED}Transfer-Encoding: chunked\r\n`, chunked(BODY)),
    'an unknown transfer encoding': create('Transfer-Encoding: gzip\r\n'),
    'a chunk whose size is no number': create('Transfer-Encoding: chunked\r\n', 'zz\r\nx\r\n'),
    'a chunk longer than it says': create(
      'Transfer-Encoding: chunked\r\n',
      '1\r\nxxx\r\n0\r\n\r\n',
    ),
  })) {
    it(`such as ${what} is refused with 400 and our error body, and nothing is stored`, async () => {
      const changes = await rig.changesDuring(service, async () => {
        assertRefusal(await answerTo(rig, text), 400, 'malformed_request');
      });
      assert.equal(changes, 0);
    });
  }

  it('such as a request without a host is refused with 400 and our error body', async () => {
    const answer = await answerTo(rig, `GET /livez HTTP/1.1\r\n${CLOSE}\r\n`);
    assertRefusal(answer, 400, 'malformed_request');
  });

  it('such as endless headers is refused with 431 and our error body', async () => {
    const text = `GET /livez HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;
    assertRefusal(await answerTo(rig, text), 431, 'malformed_request');
  });

  it('such as very many headers is refused or served, but always answered', async () => {
    const many = Array.from({ length: 3000 }, (_, index) => `X${index}: x\r\n`).join('');
    const answer = await answerTo(rig, `GET /livez HTTP/1.1\r\nHost: x\r\n${CLOSE}${many}\r\n`);
    assertRefusal(answer, 431, 'malformed_request');
  });

  it('such as an endless URL is refused with 431, and takes no quota', async () => {
    const before = await rig.unitsLeft(token);
    const text = `GET /private/sample/${'a'.repeat(20_000)} HTTP/1.1\r\n${AUTH}\r\n`;
    assertRefusal(await answerTo(rig, text), 431, 'malformed_request');
    assert.equal(await rig.unitsLeft(token), before);
  });

  it('gets a unique request id for every error', async () => {
    const answers = await Promise.all(
      ['x\r\n\r\n', 'y\r\n\r\n'].map((text) => answerTo(rig, text)),
    );
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    assert.notEqual(ids[0], ids[1]);
  });
});

describe('an HTTP/1.0 or half-closing client', WAIT, () => {
  it('of HTTP/1.0 is served without a Host header', async () => {
    const answer = await answerTo(rig, 'GET /livez HTTP/1.0\r\n\r\n');
    assert.equal(answer.status, 200);
  });

  // If the response takes more than a turn of the event loop, Node has closed our side of the
  // connection by then.
  it(
    'that closes its side after the request still gets its response',
    onlyOnSqlite('it answers in the same turn'),
    async () => {
      const received = await talk(rig, (socket) => socket.end(create(SIZED)));
      assert.equal(readAnswers(received)[0]?.status, 201);
    },
  );

  it('that sends HEAD gets the error without a body', async () => {
    const received = await talk(rig, (socket) =>
      socket.write(`HEAD /private/sample/x HTTP/1.1\r\n${AUTH}${CLOSE}\r\n`),
    );
    assert.match(received, /^HTTP\/1\.1 405 /);
    assert.match(received, /\r\nallow: GET\r\n/i);
    assert.ok(received.endsWith('\r\n\r\n'));
  });
});

describe('a body in chunks', WAIT, () => {
  it('is accepted', async () => {
    const parts = [BODY.slice(0, 7), BODY.slice(7)];
    const text = create(`Transfer-Encoding: chunked\r\n${CLOSE}`, chunked(...parts));
    assert.equal((await answerTo(rig, text)).status, 201);
  });

  it('is refused with 413 as soon as it is too large', async () => {
    const text = create('Transfer-Encoding: chunked\r\n', chunked('x'.repeat(70_000)));
    assertRefusal(await answerTo(rig, text), 413, 'body_too_large');
  });
});

describe('a body with an Expect header or a stated length', WAIT, () => {
  it('with Expect: 100-continue gets 100 Continue and is accepted', async () => {
    const received = await talk(rig, (socket) => {
      socket.once('data', () => socket.write(BODY));
      socket.write(create(`${SIZED}Expect: 100-continue\r\n${CLOSE}`, ''));
    });
    const statuses = readAnswers(received).map(({ status }) => status);
    assert.deepEqual(statuses, [100, 201]);
  });

  it('with an unknown expectation is accepted', async () => {
    const text = create(`${SIZED}Expect: a-miracle\r\n${CLOSE}`);
    assert.equal((await answerTo(rig, text)).status, 201);
  });

  it('without a token is refused before it is sent', async () => {
    const head = `POST /feed/${service}/api HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50000\r\n${CLOSE}\r\n`;
    const [answer] = await answersTo(rig, head);
    assert.ok(answer);
    assertRefusal(answer, 401, 'token_missing');
  });

  it('as too large is refused before it is sent', async () => {
    const answer = await answerTo(rig, create('Content-Length: 70000\r\n', ''));
    assertRefusal(answer, 413, 'body_too_large');
  });
});

describe('a client that disconnects', WAIT, () => {
  it('in the middle of a body stores nothing', async () => {
    const changes = await rig.changesDuring(service, async () => {
      await talk(rig, (socket) => socket.end(create(SIZED, BODY.slice(0, 20))));
      await talk(rig, (socket) => {
        socket.write(create(SIZED, BODY.slice(0, 20)), () => socket.resetAndDestroy());
      });
    });
    assert.equal(changes, 0);
  });

  it('in the middle of its headers has no effect', async () => {
    await talk(rig, (socket) => socket.end(`POST /feed/${service}/api HTTP/1.1\r\nHost:`));
    await talk(rig, (socket) => socket.end());
  });

  it('in the middle of an import keeps the complete lines, which are written into the audit log', async (test) => {
    const noted = Promise.withResolvers<void>();
    const logged: string[] = [];
    const own = await ownRig(test, {
      log: (line) => logged.push(line),
      between: (store) => ({
        ...store,
        audit: {
          ...store.audit,
          write: async (...entry) => {
            await store.audit.write(...entry);
            noted.resolve();
          },
        },
      }),
    });
    await listen(own);
    const head = `POST /admin/samples HTTP/1.1\r\nHost: x\r\nAuthorization: ${own.admin}\r\nContent-Type: application/x-ndjson\r\nContent-Length: 9999999\r\n\r\n`;
    const lines = Array.from({ length: 250 }, (_, index) =>
      JSON.stringify(wireAnalysis(`cut ${index}`)),
    );
    await talk(own, (socket) => {
      socket.end(`${head}${lines.join('\n')}`);
    });
    await noted.promise;
    await setImmediate();
    const [entry] = await own.audit();
    assert.equal(entry?.['action'], 'sample.import');
    assert.deepEqual(entry['detail'], { added: 200, replaced: 0, unchanged: 0, refused: 0 });
    const reader = await own.reader();
    assert.equal((await own.lookUp(wireAnalysis('cut 0').sha256Hash, reader.token)).status, 200);
    const faults = logged.filter((line) => JSON.parse(line).level >= 50);
    assert.deepEqual(faults, [], 'a caller that goes away is no fault of ours');
  });
});

describe('consecutive requests on one connection', WAIT, () => {
  it('are answered in order', async () => {
    const answers = await answersTo(
      rig,
      [
        create(SIZED),
        `GET /private/sample/x HTTP/1.1\r\n${AUTH}\r\n`,
        'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n',
        create(SIZED, BODY.replace('4444', '0000')),
        `GET /api/balance HTTP/1.1\r\n${AUTH}${CLOSE}\r\n`,
      ].join(''),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 400, 200, 400, 200],
    );
  });

  it('are each answered if the previous body was refused unread', async () => {
    const refused = create(SIZED).replace(`Authorization: ${token}\r\n`, '');
    const answers = await answersTo(
      rig,
      `${refused}GET /livez HTTP/1.1\r\nHost: x\r\n${CLOSE}\r\n`,
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [401, 200],
    );
  });

  it('are answered before unreadable bytes after them are refused', async () => {
    const answers = await answersTo(rig, `${create(SIZED)}${create(SIZED)}\0\r\n\r\n`);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 400],
    );
  });

  it('do not let a body smuggle in another request', async () => {
    const smuggled = `DELETE /feed/${service}/api?report=x HTTP/1.1\r\n${AUTH}\r\n`;
    const text = `GET /livez HTTP/1.1\r\nHost: x\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}GET /livez HTTP/1.1\r\nHost: x\r\n${CLOSE}\r\n`;
    const statuses = (await answersTo(rig, text)).map(({ status }) => status);
    assert.deepEqual(statuses, [200, 200]);
  });
});

describe('a client that is too slow', WAIT, () => {
  // The limits are a minute by default, and short here.
  async function impatient(test: TestContext) {
    const own = await ownRig(test);
    Object.assign(own.app.server, {
      headersTimeout: 50,
      requestTimeout: 50,
      connectionsCheckingInterval: 10,
    });
    await listen(own);
    return own;
  }

  it('with its body is refused with 408 and our error body, and nothing is stored', async (test) => {
    const own = await impatient(test);
    const feed = await own.service();
    const { token: slow } = await own.researcher();
    const text = create(SIZED, BODY.slice(0, -1)).replace(service, feed).replace(token, slow);
    const changes = await own.changesDuring(feed, async () => {
      assertRefusal(await answerTo(own, text), 408, 'malformed_request');
    });
    assert.equal(changes, 0);
  });

  it('with its headers is refused with 408 and our error body', async (test) => {
    const own = await impatient(test);
    const answer = await answerTo(own, 'GET /livez HTTP/1.1\r\nHost: x\r\n');
    assertRefusal(answer, 408, 'malformed_request');
  });
});

describe('a client that sends many requests and reads nothing', WAIT, () => {
  it('has few pending responses, and gets all of them in order once it reads', async () => {
    const count = 30;
    const feed = await rig.service();
    await rig.bulk(feed, token, Array.from({ length: 1000 }, createBody));
    const counted = /_count\{method="GET",route="\/feed\/:service\/reports",status="200"\} (\d+)/;
    const answered = async () =>
      Number(counted.exec(await rig.deps.metrics.registry.metrics())?.[1] ?? 0);
    let whileDeaf = 0;
    const waitAWhile = async () => {
      await until(async () => (await answered()) > 0, 'one is answered');
      await pause(200);
      whileDeaf = await answered();
    };
    const page = `GET /feed/${feed}/reports?limit=1000 HTTP/1.1\r\n${AUTH}`;
    const received = await talk(rig, (socket) => {
      socket.pause();
      socket.write([...Array(count - 1).fill(page), `${page}${CLOSE}`, ''].join('\r\n'));
      void waitAWhile().finally(() => socket.resume());
    });
    // Some fit into the socket buffers.
    assert.ok(whileDeaf > 0 && whileDeaf < count, `${whileDeaf} were made meanwhile`);
    const answers = readAnswers(received);
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.length]),
      Array.from({ length: count }, () => [200, answers[0]?.body.length]),
    );
    assert.ok((answers[0]?.body.length ?? 0) > 300_000);
  });
});
