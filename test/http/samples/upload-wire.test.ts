import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RapsheetClient } from '../../../src/client/client.ts';
import { RapsheetError } from '../../../src/client/error.ts';
import { Problem } from '../../../src/domain/problem.ts';
import { until } from '../../until.ts';
import { digestOf, FORM_TYPE, filePart, form, openRig, ownRig } from '../http-rig.ts';
import { answerTo, assertRefusal, connectionsTo, listen, readAnswers, talk } from '../wire.ts';

// Runs in its own process: it measures the memory of the process.

const LIMIT = 1024 * 1024;
const rig = await openRig({ uploadLimitBytes: LIMIT });
const port = await listen(rig);
after(() => rig.close());

const { token } = await rig.researcher();
const client = new RapsheetClient({ url: `http://127.0.0.1:${port}`, token, retries: 0 });
const MEBIBYTE = Buffer.alloc(1024 * 1024);
/** The timeout ends a test that hangs; it does not measure speed. */
const WAIT = { timeout: 180_000 };

function head(headers: string, caller = token): string {
  return `POST /private/upload HTTP/1.1\r\nHost: x\r\nAuthorization: ${caller}\r\nContent-Type: ${FORM_TYPE}\r\n${headers}\r\n`;
}

function sized(body: Buffer): string {
  return `Content-Length: ${body.length}\r\n`;
}

/** A form whose file never ends, without its last boundary. */
const BEGINNING = filePart('x'.repeat(200_000), 'evil.exe').subarray(0, 150_000);

async function untilReceiving(): Promise<void> {
  await until(async () => (await rig.filesLeft()).length > 0, 'the first bytes are stored');
}

async function untilNothingIsLeft(): Promise<void> {
  await until(async () => (await rig.filesLeft()).length === 0, 'nothing is left');
}

describe('a client that disconnects during an upload', WAIT, () => {
  for (const [how, leave] of [
    ['without a word', (socket: Socket) => socket.destroy()],
    ['politely', (socket: Socket) => socket.end()],
    ['with a reset', (socket: Socket) => socket.resetAndDestroy()],
  ] as const) {
    it(`${how} stores nothing`, async () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(head('Content-Length: 200000\r\n'));
      socket.write(BEGINNING);
      await untilReceiving();
      leave(socket);
      await untilNothingIsLeft();
      assert.equal(await rig.countJobs(), 0);
    });
  }

  it('while it waits for the analysis releases its request', async () => {
    const body = form(filePart('a client that disconnects', 'x'));
    const socket = connect(port, '127.0.0.1');
    socket.write(head(`${sized(body)}Prefer: wait=30\r\n`));
    socket.write(body);
    const sha256 = digestOf('a client that disconnects');
    const hash = { hex: sha256, kinds: ['sha256'] as const };
    // The file exists a moment before its row in the store.
    await until(async () => (await rig.deps.store.samples.find(hash)) !== undefined, 'it is known');
    socket.destroy();
    await until(async () => (await connectionsTo(rig)) === 0, 'all connections are closed');
    await rig.ask('DELETE', `/admin/samples/${sha256}`, { token: rig.admin });
  });
});

describe('an upload that is too large', WAIT, () => {
  it('is refused for its stated length, before any of it is read', async () => {
    const answer = await answerTo(
      rig,
      head(`Content-Length: ${LIMIT * 2}\r\nConnection: close\r\n`),
    );
    assertRefusal(answer, 413, 'body_too_large');
  });

  it('is refused as soon as it is detected, while the client still sends', async () => {
    const sent = await new Promise<{ bytes: number; received: string }>((resolve) => {
      let bytes = 0;
      let received = '';
      const socket = connect(port, '127.0.0.1').setEncoding('latin1');
      const pour = () => {
        while (received === '' && bytes < 256 * LIMIT) {
          bytes += MEBIBYTE.length;
          socket.write(`${MEBIBYTE.length.toString(16)}\r\n`);
          socket.write(MEBIBYTE);
          if (!socket.write('\r\n')) return void socket.once('drain', pour);
        }
      };
      socket.on('data', (text) => {
        received += text;
        if (received.includes('successful')) socket.destroy();
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve({ bytes, received }));
      socket.write(head('Transfer-Encoding: chunked\r\n'));
      const start = filePart('', 'evil.exe').subarray(0, -2);
      socket.write(`${start.length.toString(16)}\r\n`);
      socket.write(start);
      socket.write('\r\n');
      pour();
    });
    const [answer] = readAnswers(sent.received);
    assert.ok(answer);
    assertRefusal(answer, 413, 'body_too_large');
    // Bytes in transit count as well.
    assert.ok(sent.bytes < 64 * LIMIT, `${sent.bytes} bytes were sent`);
    await untilNothingIsLeft();
  });

  it('is reported by our client, however it sends the body', async () => {
    const file = new Blob(Array.from({ length: 20 }, () => MEBIBYTE));
    for (const onProgress of [undefined, () => undefined]) {
      const error = await client.upload(file, { fileName: 'x', onProgress }).then(
        () => assert.fail('it was taken'),
        (cause: unknown) => cause,
      );
      assert.ok(error instanceof RapsheetError, String(error));
      assert.equal(error.code, 'body_too_large');
    }
    await untilNothingIsLeft();
  });
});

describe('a refused upload', WAIT, () => {
  it('keeps the connection open for a client that completes its body', async () => {
    const body = form(filePart(Buffer.alloc(300_000), 'x'));
    const received = await talk(rig, (socket) => {
      socket.write(head(sized(body), rig.admin));
      socket.write(body);
      socket.write('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    });
    assert.deepEqual(
      readAnswers(received).map(({ status }) => status),
      [403, 200],
    );
  });

  it('in the middle of its body keeps the connection open as well', async () => {
    const wrong = Buffer.from(
      form(filePart(Buffer.alloc(300_000), 'x'))
        .toString('latin1')
        .replace('name="file"', 'name="fale"'),
      'latin1',
    );
    const received = await talk(rig, (socket) => {
      socket.write(head(sized(wrong)));
      socket.write(wrong);
      socket.write('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    });
    assert.deepEqual(
      readAnswers(received).map(({ status }) => status),
      [400, 200],
    );
  });

  it('for a full disk keeps the connection open as well', async (test) => {
    const own = await ownRig(test, {
      betweenFiles: (files) => ({
        ...files,
        receive: () => Promise.reject(new Problem('unavailable', { retryAfterSeconds: 1 })),
        sweep: () => files.sweep(),
      }),
    });
    await listen(own);
    const { token: researcher } = await own.researcher();
    const body = form(filePart(Buffer.alloc(300_000), 'x'));
    const received = await talk(own, (socket) => {
      socket.write(head(sized(body), researcher));
      socket.write(body);
      socket.write('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    });
    assert.deepEqual(
      readAnswers(received).map(({ status }) => status),
      [503, 200],
    );
  });
});

describe('an upload with Expect: 100-continue', WAIT, () => {
  const EXPECT = 'Expect: 100-continue\r\n';

  it('gets 100 Continue, and is accepted', async () => {
    const body = form(filePart('asked first', 'x'));
    const received = await talk(rig, (socket) => {
      socket.write(head(`${sized(body)}${EXPECT}Connection: close\r\n`));
      socket.once('data', () => socket.write(body));
    });
    assert.deepEqual(
      readAnswers(received).map(({ status }) => status),
      [100, 200],
    );
    await rig.ask('DELETE', `/admin/samples/${digestOf('asked first')}`, { token: rig.admin });
  });

  it('gets no 100 Continue if the caller may not upload', async () => {
    const { token: reader } = await rig.reader();
    const answer = await answerTo(rig, head(`Content-Length: 1000\r\n${EXPECT}`, reader));
    assertRefusal(answer, 403, 'role_missing');
  });

  it('gets no 100 Continue if the file is too large', async () => {
    const answer = await answerTo(rig, head(`Content-Length: ${LIMIT * 2}\r\n${EXPECT}`));
    assertRefusal(answer, 413, 'body_too_large');
  });
});

describe('a large upload', WAIT, () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;

  function memoryMegabytes(): number {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 1e6;
  }

  it('succeeds with constant memory', async (test) => {
    const own = await ownRig(test, { uploadLimitBytes: 64 * 1024 * 1024 });
    const url = `http://127.0.0.1:${await listen(own)}`;
    const { token: researcher } = await own.researcher();
    const sender = new RapsheetClient({ url, token: researcher, retries: 0 });
    const count = 60;
    let peak = 0;
    const before = memoryMegabytes();
    let pulls = 0;
    const file = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (pulls === count) return controller.close();
        pulls += 1;
        if (pulls % 10 === 0) peak = Math.max(peak, memoryMegabytes() - before);
        controller.enqueue(MEBIBYTE);
      },
    });
    const sent: number[] = [];
    const { sha256Hash } = await sender.upload(file, {
      fileName: 'zeros.bin',
      onProgress: (bytes) => sent.push(bytes),
    });
    assert.equal(sha256Hash, digestOf(Buffer.alloc(count * MEBIBYTE.length)));
    assert.equal(sent.at(-1), count * MEBIBYTE.length);
    assert.ok(peak < 30, `${peak} MB more`);
    const hash = { hex: sha256Hash, kinds: ['sha256'] as const };
    assert.equal((await own.deps.store.samples.find(hash))?.fileName, 'zeros.bin');
  });
});
