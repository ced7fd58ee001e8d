import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { createBody, wireAnalysis } from '../../builders.ts';
import { eventually, until } from '../../until.ts';
import { FORM_TYPE, filePart, openRig, type TestAccount } from '../http-rig.ts';
import { connectionsTo, listen } from '../wire.ts';
import { signedIn } from './browser.ts';

const rig = await openRig({ uploadLimitBytes: 64 * 1024 * 1024 });
const port = await listen(rig);
after(() => rig.close());

/** The timeout ends a test that hangs; it does not measure speed. */
const WAIT = { timeout: 180_000 };
const line = () => `${JSON.stringify(createBody())}\n`;

const change = (account: TestAccount, body: unknown) =>
  rig.ask('PATCH', `/admin/accounts/${account.id}`, { token: rig.admin, body });

async function revoke(account: TestAccount): Promise<void> {
  const url = `/admin/accounts/${account.id}/tokens`;
  const { tokens } = (await rig.ask('GET', url, { token: rig.admin })).json as {
    tokens: { id: string }[];
  };
  for (const { id } of tokens) await rig.ask('DELETE', `/admin/tokens/${id}`, { token: rig.admin });
}

const ENDINGS = [
  ['the account is disabled', 'token_invalid', (its) => change(its, { disabled: true })],
  ['the role is taken', 'role_missing', (its) => change(its, { roles: [] })],
  ['the token is revoked', 'token_invalid', (its) => revoke(its)],
] as const satisfies readonly (readonly [string, string, (its: TestAccount) => Promise<unknown>])[];

/** A request whose body is sent in pieces, and its response so far. */
class SlowCall {
  readonly socket: Socket;
  received = '';

  constructor(method: string, url: string, headers: readonly string[]) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setEncoding('latin1');
    this.socket.on('error', () => undefined);
    this.socket.on('data', (text) => {
      this.received += text;
    });
    this.socket.write(
      `${[`${method} ${url} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`,
    );
  }

  async untilHeard(text: string): Promise<void> {
    await until(() => this.received.includes(text), `${text} is received in ${this.received}`);
  }

  /** Sends a chunk of the body. */
  send(text: string): void {
    this.socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  }
}

function bulk(service: string, { token }: TestAccount): SlowCall {
  return new SlowCall('POST', `/feed/${service}/reports`, [
    `Authorization: ${token}`,
    'Content-Type: application/x-ndjson',
    'Transfer-Encoding: chunked',
  ]);
}

const headOf = async (service: string) => (await rig.deps.store.feeds.heads(service)).get(service);

describe('a bulk create whose permission ends', WAIT, () => {
  for (const [what, code, end] of ENDINGS) {
    it(`because ${what} is refused at its next line, and keeps the created reports`, async () => {
      const service = await rig.service();
      const its = await rig.researcher();
      const call = bulk(service, its);
      call.send(line());
      await call.untilHeard('"line":1');
      await end(its);
      call.send(line() + line());
      // The response is complete: it has a last chunk.
      await call.untilHeard('\r\n0\r\n\r\n');
      const answered = [...call.received.matchAll(/\{"line.*\}/g)].map(([text]) =>
        JSON.parse(text),
      );
      assert.equal(answered[0].successful, true);
      assert.equal(answered[1].code, code);
      assert.equal(answered[1].successful, false);
      assert.equal(answered.filter(({ successful }) => successful).length, 1);
      assert.equal(await headOf(service), 1);
      call.socket.destroy();
    });
  }

  it('is ended soon although it sends nothing more', async () => {
    const service = await rig.service();
    const its = await rig.researcher();
    const call = bulk(service, its);
    call.send(line());
    await call.untilHeard('"line":1');
    await change(its, { disabled: true });
    await call.untilHeard('\r\n0\r\n\r\n');
    assert.match(call.received, /"line":2,.*"code":"token_invalid"/);
    call.socket.destroy();
  });
});

describe('a bulk create of a session', WAIT, () => {
  it('is ended soon after signing out', async () => {
    const service = await rig.service();
    const browser = await signedIn(rig, (await rig.researcher()).token);
    const headers = { ...browser.headers(), 'Content-Type': 'application/x-ndjson' };
    const call = new SlowCall('POST', `/feed/${service}/reports`, [
      ...Object.entries(headers).map((header) => header.join(': ')),
      'Transfer-Encoding: chunked',
    ]);
    call.send(line());
    await call.untilHeard('"line":1');
    await browser.ask('DELETE', '/session');
    await call.untilHeard('\r\n0\r\n\r\n');
    assert.match(call.received, /"line":2,.*"code":"token_invalid"/);
    assert.equal(await headOf(service), 1);
    call.socket.destroy();
  });
});

describe('a call whose permission ends while its body arrives', WAIT, () => {
  it('is refused as if it arrived after the change', async () => {
    const service = await rig.service();
    const its = await rig.researcher();
    const body = JSON.stringify(createBody());
    const call = new SlowCall('POST', `/feed/${service}/api`, [
      `Authorization: ${its.token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
    ]);
    await call.untilHeard('100 Continue');
    await change(its, { disabled: true });
    call.socket.write(body);
    await call.untilHeard('x-error-code: token_invalid');
    assert.equal(await headOf(service), 0);
    call.socket.destroy();
  });
});

describe('an upload whose permission ends', WAIT, () => {
  for (const [what, code, end] of ENDINGS) {
    it(`because ${what} is refused and stores nothing`, async () => {
      const its = await rig.researcher();
      const before = (await rig.filesLeft()).length;
      const call = new SlowCall('POST', '/private/upload', [
        `Authorization: ${its.token}`,
        `Content-Type: ${FORM_TYPE}`,
        'Content-Length: 10000000',
      ]);
      call.socket.write(filePart(Buffer.alloc(200_000, 120), 'evil.exe'));
      await until(async () => (await rig.filesLeft()).length > before, 'some of it has come');
      await end(its);
      await call.untilHeard(`x-error-code: ${code}`);
      await until(async () => (await rig.filesLeft()).length === before, 'nothing of it is left');
      call.socket.destroy();
    });
  }
});

describe('a download whose permission ends', WAIT, () => {
  it('is cut off', async () => {
    const its = await rig.researcher();
    const bytes = randomBytes(32 * 1024 * 1024);
    const sha256 = await rig.uploaded(bytes);
    await until(async () => (await connectionsTo(rig)) === 0, 'all connections are closed');
    const call = new SlowCall('GET', `/private/sample/${sha256}/file`, [
      `Authorization: ${its.token}`,
    ]);
    await once(call.socket, 'data');
    call.socket.pause();
    await change(its, { disabled: true });
    const left = await eventually(
      () => connectionsTo(rig),
      (count) => count === 0,
    );
    assert.equal(left, 0);
    call.socket.destroy();
  });
});

describe('an import whose permission ends', WAIT, () => {
  it('is refused, and stores nothing more', async () => {
    const its = await rig.account({ roles: ['admin'] });
    const call = new SlowCall('POST', '/admin/samples', [
      `Authorization: ${its.token}`,
      'Content-Type: application/x-ndjson',
      'Transfer-Encoding: chunked',
    ]);
    const analysis = wireAnalysis(rig.fresh('file'));
    call.send(`${JSON.stringify(analysis)}\n`);
    await change(its, { roles: [] });
    await call.untilHeard('x-error-code: role_missing');
    const hash = { hex: analysis.sha256Hash, kinds: ['sha256'] as const };
    assert.equal((await rig.deps.store.samples.status(hash)).state, 'unknown');
    call.socket.destroy();
  });
});
