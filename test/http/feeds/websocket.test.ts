import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { sha256Of } from '../../builders.ts';
import { until } from '../../until.ts';
import { digestOf, openRig, ownRig } from '../http-rig.ts';
import { answerTo, assertRefusal, connectionsTo, listen } from '../wire.ts';

const lines: string[] = [];
const rig = await openRig({
  compatWebSocket: true,
  log: (line) => lines.push(line),
  // One account can then reach the total limit.
  accountLimits: { webSockets: 1000 },
});
const port = await listen(rig);
after(() => rig.close());

const { token } = await rig.reader({ limit: 0, period: 'none' });
const MISS = sha256Of('a file that was never uploaded');
/** The timeout ends a test that hangs; it does not measure speed. */
const WAIT = { timeout: 180_000 };

/** A WebSocket client, and the messages it receives. */
class OldClient {
  readonly socket: WebSocket;
  readonly messages: string[] = [];
  readonly closed: Promise<number>;

  constructor(hash: string, key = token, at = port) {
    this.socket = new WebSocket(`ws://127.0.0.1:${at}/websocket?hash=${hash}&apikey=${key}`);
    this.socket.on('message', (data) => this.messages.push(String(data)));
    this.closed = once(this.socket, 'close').then(([code]) => code as number);
  }

  /** Waits until it has received that many messages. */
  async untilReceived(count: number): Promise<void> {
    while (this.messages.length < count) await once(this.socket, 'message');
  }
}

function upgrade(query: string, headers = ''): string {
  return `GET /websocket${query} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${headers}\r\n`;
}

describe('the WebSocket of older clients', WAIT, () => {
  it('reports that a file is analysed, and closes', async () => {
    const { sha256Hash } = await rig.analyse(rig.fresh('file'));
    const client = new OldClient(sha256Hash.toUpperCase());
    assert.equal(await client.closed, 1000);
    assert.deepEqual(client.messages, ['STATUS:EXISTS', 'UPDATE:STATIC_COMPLETED']);
  });

  it('reports that a file is being analysed, and when that is done', async () => {
    const sha256 = await rig.uploaded(rig.fresh('bytes'));
    const client = new OldClient(sha256);
    await client.untilReceived(1);
    assert.deepEqual(client.messages, ['STATUS:EXISTS']);
    await rig.finish(sha256);
    assert.equal(await client.closed, 1000);
    assert.deepEqual(client.messages, ['STATUS:EXISTS', 'UPDATE:STATIC_COMPLETED']);
  });

  it('asks for an unknown file, and reports when its analysis is done', async () => {
    const bytes = rig.fresh('bytes');
    const client = new OldClient(digestOf(bytes));
    await client.untilReceived(1);
    assert.deepEqual(client.messages, ['STATUS:UPLOAD_REQUIRED']);
    await rig.finish(await rig.uploaded(bytes));
    assert.equal(await client.closed, 1000);
    assert.deepEqual(client.messages, ['STATUS:UPLOAD_REQUIRED', 'UPDATE:STATIC_COMPLETED']);
  });

  it('closes without a message if the analysis fails', async () => {
    const sha256 = await rig.uploaded(rig.fresh('bytes'));
    const client = new OldClient(sha256);
    await client.untilReceived(1);
    await rig.fail(sha256);
    assert.equal(await client.closed, 1000);
    assert.deepEqual(client.messages, ['STATUS:EXISTS']);
  });

  it('ignores messages, and closes the connection on a large one', async () => {
    const client = new OldClient(MISS);
    await client.untilReceived(1);
    client.socket.send('hello');
    client.socket.send('x'.repeat(5000));
    assert.equal(await client.closed, 1009);
  });

  it('survives a client that disconnects without closing', async () => {
    const client = new OldClient(MISS);
    await client.untilReceived(1);
    client.socket.terminate();
    await client.closed;
    assert.equal(
      (await answerTo(rig, 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).status,
      200,
    );
  });

  it('takes the token in a header as well', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/websocket?hash=${MISS}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const [message] = await once(socket, 'message');
    assert.equal(String(message), 'STATUS:UPLOAD_REQUIRED');
    const closed = once(socket, 'close');
    socket.close();
    await closed;
  });

  it('keeps the token out of the log at every level', async () => {
    await new OldClient((await rig.analyse(rig.fresh('file'))).sha256Hash).closed;
    const query = `?hash=x&apikey=${token}`;
    await answerTo(rig, upgrade(query));
    await answerTo(rig, `GET /websocket${query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await answerTo(rig, `GET /livez?x=${token} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.ok(lines.some((line) => line.includes('/websocket')));
    assert.doesNotMatch(lines.join('\n'), new RegExp(token.slice(4)));
  });
});

describe('the WebSocket of older clients is refused with our error body', WAIT, () => {
  it('without a token', async () => {
    assertRefusal(await answerTo(rig, upgrade(`?hash=${MISS}`)), 401, 'token_missing');
  });

  it('with a bad token', async () => {
    const answer = await answerTo(rig, upgrade(`?hash=${MISS}&apikey=rap_bad`));
    assertRefusal(answer, 401, 'token_invalid');
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer realm=/);
  });

  it('for an invalid hash', async () => {
    for (const query of [`?apikey=${token}`, `?hash=x&apikey=${token}`])
      assertRefusal(await answerTo(rig, upgrade(query)), 400, 'invalid_hash');
  });

  it('if the request is no upgrade', async () => {
    const text = `GET /websocket?hash=${MISS} HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nConnection: close\r\n\r\n`;
    assertRefusal(await answerTo(rig, text), 400, 'invalid_header');
  });

  it('by other methods', async () => {
    assert.equal((await rig.ask('POST', '/websocket', { token })).status, 405);
  });

  it('if too many are open, until some are closed', async () => {
    await until(async () => (await connectionsTo(rig)) === 0, 'all connections are closed');
    const clients = Array.from({ length: 100 }, () => new OldClient(MISS));
    await Promise.all(clients.map((client) => client.untilReceived(1)));
    const answer = await answerTo(rig, upgrade(`?hash=${MISS}&apikey=${token}`));
    assertRefusal(answer, 429, 'too_many_connections');
    assert.equal(answer.headers.get('retry-after'), '5');
    for (const { socket } of clients) socket.close();
    // The server closes them first.
    await until(async () => (await connectionsTo(rig)) === 0, 'all connections are closed');
    const late = new OldClient(MISS);
    await late.untilReceived(1);
    late.socket.close();
  });

  it('after too many bad tokens from the same address', async (test) => {
    const own = await ownRig(test, { compatWebSocket: true });
    await listen(own);
    for (let attempt = 0; attempt < 100; attempt += 1)
      await own.ask('GET', '/api/balance', { token: 'rap_bad', remoteAddress: '127.0.0.1' });
    const answer = await answerTo(own, upgrade(`?hash=${MISS}&apikey=rap_bad`));
    assertRefusal(answer, 429, 'too_many_bad_tokens');
  });

  it('without side effects if the handshake is malformed', async () => {
    const text = upgrade(`?hash=${MISS}&apikey=${token}`).replace(/Sec-WebSocket-Key.*\r\n/, '');
    const received = await new Promise<string>((resolve) => {
      let all = '';
      const socket = connect(port, '127.0.0.1').setEncoding('latin1');
      socket.on('data', (part) => {
        all += part;
      });
      socket.on('close', () => resolve(all));
      socket.write(text);
    });
    assert.match(received, /^HTTP\/1\.1 400 /);
  });
});

describe('other upgrade requests', WAIT, () => {
  const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n';

  it('are answered like ordinary requests', async () => {
    const text = `GET /livez HTTP/1.0\r\nHost: x\r\n${offer}\r\n`;
    assert.equal((await answerTo(rig, text)).status, 200);
  });
});

describe('the WebSocket of older clients, disabled', WAIT, () => {
  it('is not found', async (test) => {
    const own = await ownRig(test);
    await listen(own);
    for (const path of [`?hash=${MISS}&apikey=${token}`, ''])
      assert.equal((await own.ask('GET', `/websocket${path}`)).code, 'unknown_route');
    const answer = await answerTo(
      own,
      upgrade('').replace('Connection: Upgrade', 'Connection: Upgrade, close'),
    );
    assertRefusal(answer, 404, 'unknown_route');
  });
});

describe('a server that stops', WAIT, () => {
  it('closes all connections at shutdown without waiting for their analyses', async () => {
    const own = await openRig({ compatWebSocket: true });
    const at = await listen(own);
    const client = new OldClient(MISS, (await own.reader()).token, at);
    await client.untilReceived(1);
    const [code] = await Promise.all([client.closed, own.close()]);
    assert.equal(code, 1001);
  });
});
