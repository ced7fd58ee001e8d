import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { GuardedHttp, type GuardedHttpOptions } from '../../src/outgoing/guarded-http.ts';
import { answerWith, CERTIFICATE, LOOPBACK, openReceiver } from './receiver.ts';

const PUBLIC = { allowHttp: false, allowedNetworks: [] };

function client(options: Partial<GuardedHttpOptions> = {}): GuardedHttp {
  return new GuardedHttp({ ...LOOPBACK, ...options });
}

function post(http: GuardedHttp, url: string, body = '{}') {
  return http.post({ url, headers: { 'content-type': 'application/json' }, body });
}

const failed = (failure: string) => ({ kind: 'failed', failure });

describe('the guarded client', () => {
  it('posts the body to the URL, and returns only the status', async (test) => {
    const receiver = await openReceiver(test);
    receiver.answer = (response) => response.writeHead(200, { 'x-secret': '1' }).end('a secret');
    assert.deepEqual(await post(client(), receiver.url(), '{"ü":1}'), {
      kind: 'answered',
      status: 200,
      retryAfter: undefined,
    });
    const [received] = receiver.received;
    assert.equal(received?.body, '{"ü":1}');
    assert.equal(received?.url, '/hook?a=1');
    assert.equal(received?.headers['content-length'], '8');
    assert.equal(received?.headers.host, `127.0.0.1:${receiver.port}`);
    assert.equal(received?.headers['transfer-encoding'], undefined);
  });

  it('connects to the address that was checked, with the name in Host and certificate', async (test) => {
    const receiver = await openReceiver(test, true);
    const resolved: string[] = [];
    const http = client({
      ca: CERTIFICATE,
      resolve: async (name) => {
        resolved.push(name);
        return ['127.0.0.1'];
      },
    });
    const result = await post(http, receiver.url('hook.example.invalid'));
    assert.equal(result.kind, 'answered');
    assert.deepEqual(resolved, ['hook.example.invalid']);
    assert.equal(receiver.received[0]?.headers.host, `hook.example.invalid:${receiver.port}`);
  });

  it('accepts a certificate for an IP address', async (test) => {
    const receiver = await openReceiver(test, true);
    assert.equal((await post(client({ ca: CERTIFICATE }), receiver.url())).kind, 'answered');
  });

  it('refuses an untrusted certificate, and one for another name', async (test) => {
    const receiver = await openReceiver(test, true);
    const resolve = async () => ['127.0.0.1'];
    const untrusted = failed('untrusted');
    const url = receiver.url('hook.example.invalid');
    assert.deepEqual(await post(client({ resolve }), url), untrusted);
    const other = receiver.url('other.example.invalid');
    assert.deepEqual(await post(client({ resolve, ca: CERTIFICATE }), other), untrusted);
    assert.equal(receiver.received.length, 0);
  });

  it('resolves the name once, so that DNS rebinding has no effect', async (test) => {
    const receiver = await openReceiver(test);
    // The name resolves to a public address first, and to a private one afterwards.
    const answers = [['127.0.0.9'], ['127.0.0.1']];
    let resolutions = 0;
    const http = new GuardedHttp({
      allowHttp: true,
      // Represents a public address, on which nothing listens.
      allowedNetworks: ['127.0.0.9/32'],
      resolve: async () => answers[resolutions++] ?? ['127.0.0.1'],
    });
    const result = await post(http, receiver.url('rebound.example.invalid'));
    assert.equal(result.kind, 'failed');
    assert.equal(resolutions, 1);
    assert.equal(receiver.received.length, 0);
    assert.deepEqual(
      await post(http, receiver.url('rebound.example.invalid')),
      failed('refused'),
      'the next attempt checks the address again',
    );
  });

  it('refuses a name as soon as one of its addresses is private', async (test) => {
    const receiver = await openReceiver(test);
    for (const addresses of [
      ['127.0.0.1'],
      ['93.184.215.14', '127.0.0.1'],
      ['2606:2800:21f:cb07::1', '::ffff:127.0.0.1'],
      ['93.184.215.14', 'fe80::1%eth0'],
      ['not an address'],
    ]) {
      const http = new GuardedHttp({ ...PUBLIC, allowHttp: true, resolve: async () => addresses });
      const result = await post(http, receiver.url('hook.example.invalid'));
      assert.deepEqual(result, failed('refused'), addresses.join());
    }
    assert.equal(receiver.received.length, 0);
  });

  it('reports a name without an address', async () => {
    const none = client({ resolve: async () => [] });
    assert.deepEqual(await post(none, 'https://gone.example.invalid/'), failed('unresolved'));
    const failing = client({ resolve: () => Promise.reject(new Error('SERVFAIL')) });
    assert.deepEqual(await post(failing, 'https://gone.example.invalid/'), failed('unanswered'));
  });

  it('follows no redirect', async (test) => {
    const [receiver, other] = [await openReceiver(test), await openReceiver(test)];
    receiver.answer = answerWith(307, { location: other.url() });
    const result = await post(client(), receiver.url());
    assert.equal(result.kind === 'answered' && result.status, 307);
    assert.equal(other.received.length, 0);
  });

  it('uses no proxy', async (test) => {
    const [receiver, proxy] = [await openReceiver(test), await openReceiver(test)];
    const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'];
    for (const name of names) process.env[name] = proxy.url();
    test.after(() => names.map((name) => delete process.env[name]));
    await post(client(), receiver.url());
    assert.deepEqual([receiver.received.length, proxy.received.length], [1, 0]);
  });

  it('times out if the receiver never responds', async (test) => {
    const receiver = await openReceiver(test);
    receiver.answer = () => {};
    assert.deepEqual(await post(client({ timeoutMs: 50 }), receiver.url()), failed('timeout'));
  });

  it('times out if the name never resolves', async () => {
    const http = client({ timeoutMs: 50, resolve: () => new Promise(() => {}) });
    assert.deepEqual(await post(http, 'https://slow.example.invalid/'), failed('timeout'));
  });

  it('reports a connection that is reset or refused', async (test) => {
    const receiver = await openReceiver(test);
    receiver.answer = (response) => response.socket?.resetAndDestroy();
    assert.deepEqual(await post(client(), receiver.url()), failed('unreachable'));
    await receiver.close();
    assert.deepEqual(await post(client(), 'http://127.0.0.1:1/'), failed('refused'));
  });

  it('aborts a response that is too long, and uses its status', async (test) => {
    const receiver = await openReceiver(test);
    let sent = 0;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    receiver.answer = (response) => {
      const piece = Buffer.alloc(64 * 1024, 'a');
      const write = () => {
        while (sent < 10 * 1024 * 1024 && response.write(piece)) sent += piece.length;
      };
      response.on('drain', write).on('close', resolve).on('error', resolve);
      write();
    };
    const result = await post(client(), receiver.url());
    assert.equal(result.kind === 'answered' && result.status, 200);
    await closed;
    assert.ok(sent < 10 * 1024 * 1024, `${sent} bytes were sent`);
  });

  it('uses the status of a response that does not end', async (test) => {
    const receiver = await openReceiver(test);
    receiver.answer = (response) => void response.writeHead(200).write('a');
    // Long enough for the status to arrive on a slow machine.
    const result = await post(client({ timeoutMs: 3000 }), receiver.url());
    assert.equal(result.kind === 'answered' && result.status, 200);
  });

  it('stops when the signal of the caller aborts', async (test) => {
    const receiver = await openReceiver(test);
    const end = new AbortController();
    receiver.answer = () => end.abort();
    const { signal } = end;
    const result = await client().post({ url: receiver.url(), headers: {}, body: '', signal });
    assert.deepEqual(result, failed('interrupted'));
  });

  it('refuses other protocols and endless headers', async (test) => {
    const switching = await rawServer(
      test,
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    );
    assert.deepEqual(await post(client(), switching), failed('unreachable'));
    const endless = await rawServer(test, `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`);
    assert.deepEqual(await post(client(), endless), failed('unreachable'));
    const nonsense = await rawServer(test, 'SSH-2.0-OpenSSH_9.9\r\n');
    assert.deepEqual(await post(client(), nonsense), failed('unreachable'));
  });

  const BROKEN = {
    'no bytes': '',
    'an incomplete status line': 'HTTP/1.1 20',
    'an incomplete header': 'HTTP/1.1 200 OK\r\nContent-Le',
    'an interim response': 'HTTP/1.1 100 Continue\r\n\r\n',
    'early hints': 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
    'an incomplete body': 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc',
    'chunks without the last one':
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
  };
  for (const [what, bytes] of Object.entries(BROKEN))
    it(`treats ${what} before the end of the connection as no response`, async (test) => {
      const url = await rawServer(test, bytes);
      assert.deepEqual(await post(client(), url), failed('unreachable'));
    });

  const WHOLE = {
    'a response without content': ['HTTP/1.1 204 No Content\r\n\r\n', 204],
    'an empty body': ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 200],
    'a body up to the end of the connection': ['HTTP/1.1 202 Accepted\r\n\r\nabc', 202],
    'an interim response and then the final one': [
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\na',
      201,
    ],
  } as const;
  for (const [what, [bytes, status]] of Object.entries(WHOLE))
    it(`accepts ${what}`, async (test) => {
      const result = await post(client(), await rawServer(test, bytes));
      assert.equal(result.kind === 'answered' && result.status, status);
    });

  it('opens no more connections than its limit', async (test) => {
    const receiver = await openReceiver(test);
    let open = 0;
    let peak = 0;
    receiver.answer = (response) => {
      peak = Math.max(peak, ++open);
      response.on('close', () => open--);
      setImmediate(() => response.writeHead(204).end());
    };
    const http = client({ maxConnections: 2 });
    await Promise.all(Array.from({ length: 8 }, () => post(http, receiver.url())));
    assert.equal(receiver.received.length, 8);
    assert.ok(peak <= 2, `${peak} connections at once`);
  });
});

/** Sends these bytes to every client. */
async function rawServer(test: TestContext, bytes: string): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address?.port}/`;
}

describe('the address check of the guarded client', () => {
  const spellings = [
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://①②⑦.⓪.⓪.①/',
    'https://127。0。0。1/',
    'https://127.0.0.1./',
    'https://0/',
    'https://0.0.0.0/',
    'https://10.0.0.1/',
    'https://100.64.0.1/',
    'https://100.100.100.200/',
    'https://169.254.169.254/latest/meta-data/',
    'https://168.63.129.16/',
    'https://172.16.0.1/',
    'https://192.0.0.192/',
    'https://192.168.1.1/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::]/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::127.0.0.1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:0:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[64:ff9b::127.0.0.1]/',
    'https://[64:ff9b:1::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:7f00:1::]/',
    'https://[fd00::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
    'https://[100::1]/',
    'https://[2001:db8::1]/',
    'https://[3fff::1]/',
  ];
  for (const url of spellings) {
    it(`does not connect to ${url}`, async () => {
      const http = new GuardedHttp({ ...PUBLIC, allowHttp: true, resolve: assert.fail });
      assert.match(http.refusal(url) ?? '', /private or reserved/);
      assert.deepEqual(await post(http, url), failed('refused'));
    });
  }

  for (const [name, addresses] of [
    ['localhost', ['127.0.0.1']],
    ['localhost.', ['::1']],
    ['LOCALHOST', ['127.0.0.1']],
    ['metadata.google.internal', ['169.254.169.254']],
    ['127.0.0.1.nip.example.invalid', ['127.0.0.1']],
  ] as const) {
    it(`does not connect to the name ${name}`, async () => {
      const http = new GuardedHttp({ ...PUBLIC, resolve: async () => addresses });
      assert.deepEqual(await post(http, `https://${name}/`), failed('refused'));
    });
  }

  const wrong: readonly [url: string, why: RegExp][] = [
    ['', /an https URL/],
    ['hook.example.invalid', /an https URL/],
    ['http://hook.example.invalid/', /an https URL/],
    ['ftp://hook.example.invalid/', /an https URL/],
    ['file:///etc/passwd', /an https URL/],
    ['https:/hook.example.invalid/', /an https URL/],
    ['https://', /an https URL/],
    ['https://1.2.3.4.5/', /an https URL/],
    ['https://[::1%25eth0]/', /an https URL/],
    ['https://user@hook.example.invalid/', /user name/],
    ['https://user:pass@hook.example.invalid/', /user name/],
    ['https://@hook.example.invalid/', /user name/],
    ['https://hook.example.invalid\\@127.0.0.1/', /an https URL|user name|private/],
    ['https://hook.example.invalid/#a', /fragment/],
    ['https://hook.example.invalid:22/', /port/],
    ['https://hook.example.invalid:80/', /port/],
    ['https://hook.example.invalid:0/', /port/],
    ['https://hook.example.invalid:65536/', /an https URL/],
    [`https://hook.example.invalid/${'a'.repeat(2048)}`, /2048/],
    ['https://localhost/', /this machine/],
    ['https://LOCALHOST./', /this machine/],
    ['https://hook.localhost:8443/', /this machine/],
    ['https://hook.example.invalid/a\r\nX-Evil: 1', /control characters/],
    ['https://hook.exam\nple.invalid/', /control characters/],
    ['https://hook.example.invalid/\ta', /control characters/],
    [' https://hook.example.invalid/', /control characters/],
    ['https://hook.example.invalid/\u0000', /control characters/],
    ['https://hook.example.invalid/\u202e', /control characters/],
  ];
  for (const [url, why] of wrong) {
    it(`states what is wrong with ${JSON.stringify(url.slice(0, 60))}`, async () => {
      const http = new GuardedHttp({ ...PUBLIC, resolve: assert.fail });
      assert.match(http.refusal(url) ?? 'nothing', why);
      assert.deepEqual(await post(http, url), failed('refused'));
    });
  }

  for (const url of [
    'https://hook.example.invalid',
    'https://hook.example.invalid/a?b=c@d',
    'https://hook.example.invalid:8443/',
    'https://hook.example.invalid:443/',
    'https://hook.example.invalid:1024/',
    'HTTPS://HOOK.example.invalid/',
    'https://93.184.215.14/',
    'https://[2606:2800:21f::1]/',
    'https://mylocalhost/',
    'https://localhost.example.invalid/',
  ]) {
    it(`accepts ${url}`, () => {
      assert.equal(new GuardedHttp(PUBLIC).refusal(url), undefined);
    });
  }

  it('accepts private addresses only in the networks that the operator allows', () => {
    const http = new GuardedHttp({ allowHttp: true, allowedNetworks: ['10.1.0.0/16', 'fd00::/8'] });
    assert.equal(http.refusal('http://10.1.2.3/'), undefined);
    assert.equal(http.refusal('https://[fd12::1]:9000/'), undefined);
    assert.match(http.refusal('http://10.2.0.1/') ?? '', /private/);
    assert.match(http.refusal('http://[::ffff:10.1.2.3]/') ?? '', /private/);
    assert.match(http.refusal('http://127.0.0.1/') ?? '', /private/);
    assert.match(http.refusal('http://10.1.2.3:443/') ?? '', /port 80/);
    assert.match(http.refusal('http://localhost/') ?? '', /this machine/);
    for (const network of ['127.0.0.0/8', '::1/128'])
      assert.equal(
        new GuardedHttp({ allowHttp: false, allowedNetworks: [network] }).refusal(
          'https://localhost/',
        ),
        undefined,
      );
  });
});
