import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { challengeOf } from '../../src/domain/ownership/challenge.ts';
import { Dns } from '../../src/outgoing/dns.ts';
import { GuardedHttp, type GuardedHttpOptions } from '../../src/outgoing/guarded-http.ts';
import { NetworkProver } from '../../src/outgoing/ownership-prover.ts';
import { type DnsAnswer, openDnsServer } from './dns-server.ts';
import { answerWith, CERTIFICATE, LOOPBACK, openReceiver } from './receiver.ts';

const TOKEN = 'iJkLmNoPqRsTuVwXyZ0123456789AbCd';
const CHALLENGE = challengeOf(TOKEN);
const SUFFIX = 'hook.example.invalid';
const RECORD = `_rapsheet.${SUFFIX}`;
const REQUEST = { method: 'dns', suffix: SUFFIX, token: TOKEN } as const;

/** The timeout is for servers that do not answer: others may be slow on a busy machine. */
async function dnsProver(test: TestContext, timeoutMs = 60_000) {
  const server = await openDnsServer(test);
  const dns = new Dns({ server: server.address, timeoutMs });
  const prover = new NetworkProver({ dns, http: new GuardedHttp(LOOPBACK), allowHttp: false });
  const check = () => prover.check(REQUEST);
  return { server, prover, check };
}

function stoppable() {
  const controller = new AbortController();
  return { signal: controller.signal, stop: () => controller.abort() };
}

describe('a proof by a TXT record', () => {
  it('is found among many records, in parts, and with other records of the name', async (test) => {
    const { server, check } = await dnsProver(test);
    server.txt(RECORD, 'v=spf1 -all', challengeOf('of-somebody-else'), ` ${CHALLENGE} `);
    assert.equal(await check(), undefined);
    assert.deepEqual(server.asked, [`TXT ${RECORD}`]);
  });

  it('is read over TCP if the answer does not fit into a datagram', async (test) => {
    const { server, check } = await dnsProver(test);
    const many = Array.from({ length: 400 }, (_, index) => `${'x'.repeat(100)}${index}`);
    server.txt(RECORD, ...many, CHALLENGE);
    assert.equal(await check(), undefined);
    server.txt(RECORD, 'y'.repeat(60_000));
    assert.equal(await check(), 'no_record', 'one huge record');
  });

  it('is absent if the record holds something else', async (test) => {
    const { server, check } = await dnsProver(test);
    for (const text of [
      TOKEN,
      `x${CHALLENGE}`,
      'rapsheet-verification',
      CHALLENGE.toUpperCase(),
      '',
    ]) {
      server.txt(RECORD, text);
      assert.equal(await check(), 'no_record', text);
    }
  });

  it('tells the token of somebody else from none', async (test) => {
    const { server, check } = await dnsProver(test);
    for (const text of [challengeOf('other'), `${CHALLENGE}x`, challengeOf(''), `${CHALLENGE} x`]) {
      server.txt(RECORD, text);
      assert.equal(await check(), 'other_token', text);
    }
  });

  const answers: readonly [string, DnsAnswer | undefined, string][] = [
    ['the name does not exist', undefined, 'no_record'],
    ['the name has no such records', { records: [] }, 'no_record'],
    ['the server fails', { code: 'servFail' }, 'dns_failed'],
    ['the server refuses', { code: 'refused' }, 'dns_failed'],
    ['the server does not understand', { code: 'formErr' }, 'dns_failed'],
    ['the server is silent', { isSilent: true }, 'dns_timeout'],
    ['the answer is no message', { isGarbage: true }, 'dns_failed'],
  ];
  for (const [title, answer, problem] of answers)
    it(`is "${problem}" if ${title}`, async (test) => {
      const { server, check } = await dnsProver(test, answer?.isSilent ? 300 : undefined);
      if (answer !== undefined) server.answers.set(`TXT ${RECORD}`, answer);
      assert.equal(await check(), problem);
    });

  it('is unknown if a truncated answer cannot be read over TCP', async (test) => {
    const { server, check } = await dnsProver(test, 500);
    server.hasTcp = false;
    server.txt(RECORD, CHALLENGE, 'x'.repeat(2000));
    assert.match(String(await check()), /^dns_(?:failed|timeout)$/);
  });

  it('is unknown if nothing listens at the address of the resolver', async (test) => {
    const server = await openDnsServer(test);
    const { address } = server;
    const prover = new NetworkProver({
      dns: new Dns({ server: address.replace('127.0.0.1', '127.0.0.77'), timeoutMs: 500 }),
      http: new GuardedHttp(LOOPBACK),
      allowHttp: false,
    });
    const problem = await prover.check(REQUEST);
    assert.match(String(problem), /^dns_(?:failed|timeout)$/);
  });

  it('ends when its signal aborts', async (test) => {
    const { server, prover } = await dnsProver(test);
    server.answers.set(`TXT ${RECORD}`, { isSilent: true });
    const { signal, stop } = stoppable();
    const checked = prover.check({ ...REQUEST, signal });
    setImmediate(stop);
    assert.equal(await checked, 'dns_timeout');
  });

  it('is refused while very many others are running', async (test) => {
    const { server, prover, check } = await dnsProver(test);
    server.answers.set(`TXT ${RECORD}`, { isSilent: true });
    const { signal, stop } = stoppable();
    const running = Array.from({ length: 16 }, () => prover.check({ ...REQUEST, signal }));
    await assert.rejects(check(), { code: 'checks_busy' });
    stop();
    await Promise.all(running);
    server.txt(RECORD, CHALLENGE);
    assert.equal(await check(), undefined);
  });
});

interface FileOptions {
  readonly isSecure?: boolean;
  readonly allowHttp?: boolean;
  readonly http?: Partial<GuardedHttpOptions>;
}

async function fileProver(test: TestContext, options: FileOptions = {}) {
  const { isSecure = true, allowHttp = false } = options;
  const receiver = await openReceiver(test, isSecure);
  const http = new GuardedHttp({
    allowHttp,
    allowedNetworks: LOOPBACK.allowedNetworks,
    ca: CERTIFICATE,
    resolve: async () => ['127.0.0.1'],
    ...options.http,
  });
  const dns = { textsOf: assert.fail };
  const prover = new NetworkProver({ dns, http, allowHttp, port: receiver.port });
  const check = (suffix = SUFFIX) => prover.check({ method: 'http', suffix, token: TOKEN });
  const serve = (body: string, status = 200) => {
    receiver.answer = (response) => response.writeHead(status).end(body);
  };
  return { receiver, check, serve };
}

describe('a proof by a file', () => {
  it('is a line of the file, over https', async (test) => {
    const { receiver, check, serve } = await fileProver(test);
    serve(`# for rapsheet\r\n${challengeOf('other')}\r\n${CHALLENGE}\r\n`);
    assert.equal(await check(), undefined);
    const [received] = receiver.received;
    assert.equal(received?.url, '/.well-known/rapsheet');
    assert.equal(received?.headers.host, `${SUFFIX}:${receiver.port}`);
    assert.equal(received?.headers['content-length'], undefined);
  });

  it('works for an address with a certificate', async (test) => {
    const { check, serve } = await fileProver(test);
    serve(CHALLENGE);
    assert.equal(await check('127.0.0.1'), undefined);
  });

  const contents: readonly [string, string, number, string][] = [
    ['another token', challengeOf('other'), 200, 'other_token'],
    ['no line', 'hello', 200, 'no_line'],
    ['an empty file', '', 200, 'no_line'],
    ['no file', CHALLENGE, 404, 'not_found'],
    ['no permission', CHALLENGE, 403, 'not_found'],
    ['another status of success', CHALLENGE, 203, 'not_found'],
    ['a failing server', CHALLENGE, 503, 'server_failed'],
    ['a throttling server', CHALLENGE, 429, 'server_failed'],
    ['a file that is too large', `${CHALLENGE}\n${'x'.repeat(20_000)}`, 200, 'too_large'],
  ];
  for (const [title, body, status, problem] of contents)
    it(`is "${problem}" with ${title}`, async (test) => {
      const { check, serve } = await fileProver(test);
      serve(body, status);
      assert.equal(await check(), problem);
    });

  it('is not looked for behind a redirect', async (test) => {
    const { receiver, check } = await fileProver(test);
    const other = await openReceiver(test);
    receiver.answer = answerWith(302, { location: other.url() });
    assert.equal(await check(), 'redirected');
    assert.equal(other.received.length, 0);
  });

  it('is not read to the end if there is none', async (test) => {
    const { receiver, check } = await fileProver(test);
    let written = 0;
    receiver.answer = (response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(4096))) written += 4096;
      };
      response.on('drain', more);
      more();
    };
    assert.equal(await check(), 'too_large');
    assert.ok(written < 64 * 1024 * 1024);
  });

  it('is unknown if the file never ends or never comes', async (test) => {
    const { receiver, check } = await fileProver(test, { http: { timeoutMs: 300 } });
    receiver.answer = (response) => response.writeHead(200).write('slow');
    assert.equal(await check(), 'timeout');
    receiver.answer = () => undefined;
    assert.equal(await check(), 'timeout');
  });

  it('is unknown if the file breaks off', async (test) => {
    const { receiver, check } = await fileProver(test);
    receiver.answer = (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('cut', () => response.destroy());
    };
    assert.equal(await check(), 'unreachable');
  });

  it('is not read from a private address', async (test) => {
    const { receiver, check, serve } = await fileProver(test, { http: { allowedNetworks: [] } });
    serve(CHALLENGE);
    assert.equal(await check(), 'private_address');
    assert.equal(await check('127.0.0.1'), 'private_address');
    assert.equal(receiver.received.length, 0);
  });

  it('tells a host without an address from a name server without an answer', async (test) => {
    const none = await fileProver(test, { http: { resolve: async () => [] } });
    assert.equal(await none.check(), 'no_address');
    const silent = await fileProver(test, {
      http: { resolve: () => Promise.reject(new Error('SERVFAIL')) },
    });
    assert.equal(await silent.check(), 'dns_failed');
  });

  it('needs a valid certificate', async (test) => {
    const { receiver, check, serve } = await fileProver(test);
    serve(CHALLENGE);
    assert.equal(await check('other.example.invalid'), 'untrusted');
    assert.equal(receiver.received.length, 0);
  });

  it('is read over plain http only if the operator allows it', async (test) => {
    const allowed = await fileProver(test, { isSecure: false, allowHttp: true });
    allowed.serve(CHALLENGE);
    assert.equal(await allowed.check(), undefined);
    const refused = await fileProver(test, { isSecure: false });
    refused.serve(CHALLENGE);
    assert.equal(await refused.check(), 'unreachable');
    assert.equal(refused.receiver.received.length, 0);
  });
});

describe('the resolver', () => {
  it('finds the addresses of a name', async (test) => {
    const server = await openDnsServer(test);
    const dns = new Dns({ server: server.address });
    server.answers.set('A one.example', { records: ['192.0.2.1', '192.0.2.2'] });
    server.answers.set('AAAA one.example', { code: 'servFail' });
    assert.deepEqual(await dns.addressesOf('one.example'), ['192.0.2.1', '192.0.2.2']);
    assert.deepEqual(await dns.addressesOf('none.example'), []);
    server.answers.set('A down.example', { code: 'servFail' });
    server.answers.set('AAAA down.example', { records: [] });
    await assert.rejects(dns.addressesOf('down.example'), { failure: 'failed' });
  });
});
