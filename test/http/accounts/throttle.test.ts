import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BadTokens } from '../../../src/http/gate/bad-tokens.ts';
import type { Answer } from '../contract.ts';
import { openRig, type Rig } from '../http-rig.ts';

const BAD = 'rap_bad';
/** The number of bad tokens an address may send in a minute. */
const ALLOWED = 100;

interface From {
  readonly address?: string;
  readonly forwarded?: string;
  readonly token?: string | undefined;
}

function call(rig: Rig, { address, forwarded, token = BAD }: From = {}): Promise<Answer> {
  return rig.ask('GET', '/api/balance', {
    token,
    ...(address !== undefined && { remoteAddress: address }),
    ...(forwarded !== undefined && { headers: { 'x-forwarded-for': forwarded } }),
  });
}

async function sendBad(rig: Rig, from: From = {}, count = ALLOWED): Promise<void> {
  for (let attempt = 0; attempt < count; attempt += 1)
    assert.equal((await call(rig, from)).status, 401, `call ${attempt + 1}`);
}

async function withRig(
  work: (rig: Rig) => Promise<void>,
  options: { trustProxy?: readonly string[] } = {},
): Promise<void> {
  const rig = await openRig(options);
  try {
    await work(rig);
  } finally {
    await rig.close();
  }
}

describe('bad tokens from one address', () => {
  it('are refused with 429 and the time to wait once there are too many', () =>
    withRig(async (rig) => {
      await sendBad(rig);
      const answer = await call(rig);
      assert.equal(answer.status, 429);
      assert.equal(answer.code, 'too_many_bad_tokens');
      assert.equal(answer.headers['retry-after'], '60');
      assert.equal(answer.headers['x-ratelimit-limit'], undefined);
    }));

  it('are counted per calendar minute', () =>
    withRig(async (rig) => {
      await sendBad(rig);
      rig.clock.advance(59_001);
      const answer = await call(rig);
      assert.equal(answer.status, 429);
      assert.equal(answer.headers['retry-after'], '1');
      rig.clock.advance(999);
      await sendBad(rig);
      assert.equal((await call(rig)).status, 429);
    }));

  it('never throttle a valid token from the same address', () =>
    withRig(async (rig) => {
      const { token } = await rig.reader();
      await sendBad(rig);
      assert.equal((await call(rig)).status, 429);
      assert.equal((await call(rig, { token })).status, 200);
      assert.equal((await call(rig)).status, 429);
    }));

  it('do not throttle another address', () =>
    withRig(async (rig) => {
      await sendBad(rig, { address: '192.0.2.1' });
      assert.equal((await call(rig, { address: '192.0.2.1' })).status, 429);
      assert.equal((await call(rig, { address: '192.0.2.2' })).status, 401);
    }));

  it('are counted for a whole /64 of IPv6', () =>
    withRig(async (rig) => {
      await sendBad(rig, { address: '2001:db8:1:2::1' });
      for (const address of ['2001:db8:1:2:ffff::9', '2001:db8:1:2:1:2:3:4'])
        assert.equal((await call(rig, { address })).status, 429, address);
      assert.equal((await call(rig, { address: '2001:db8:1:3::1' })).status, 401);
    }));

  it('are counted on every route, but not calls without a token', () =>
    withRig(async (rig) => {
      const service = await rig.service();
      for (let attempt = 0; attempt < ALLOWED; attempt += 1) {
        await rig.ask('GET', '/api/balance');
        await rig.create(service, BAD);
      }
      assert.equal((await rig.lookUp('x', BAD)).status, 429);
      assert.equal((await rig.ask('GET', '/api/balance')).status, 401);
    }));

  it('are forgotten for the oldest address when there are too many addresses', () => {
    const counts = new BadTokens();
    const now = new Date();
    for (let attempt = 0; attempt < ALLOWED; attempt += 1) counts.count('192.0.2.1', now);
    assert.notEqual(counts.count('192.0.2.1', now), undefined);
    for (let index = 0; index < 10_000; index += 1)
      counts.count(`10.0.${index >> 8}.${index & 255}`, now);
    assert.equal(counts.count('192.0.2.1', now), undefined);
  });

  it('are counted if they were valid once', () =>
    withRig(async (rig) => {
      const { token, id } = await rig.reader();
      const body = { disabled: true };
      await rig.ask('PATCH', `/admin/accounts/${id}`, { token: rig.admin, body });
      await sendBad(rig, { token });
      assert.equal((await call(rig, { token })).status, 429);
    }));
});

describe('X-Forwarded-For', () => {
  it('is not trusted by default: the client is counted by its own address', () =>
    withRig(async (rig) => {
      for (let attempt = 0; attempt < ALLOWED; attempt += 1)
        await call(rig, { forwarded: `198.51.100.${attempt}` });
      assert.equal((await call(rig, { forwarded: '198.51.100.250' })).status, 429);
    }));

  it('is ignored from an address that is not trusted', () =>
    withRig(
      async (rig) => {
        const from = { address: '192.0.2.1', forwarded: '198.51.100.1' };
        await sendBad(rig, from);
        assert.equal((await call(rig, { ...from, forwarded: '198.51.100.2' })).status, 429);
      },
      { trustProxy: ['127.0.0.1'] },
    ));

  it('is used from a trusted address: each client is counted separately', () =>
    withRig(
      async (rig) => {
        await sendBad(rig, { forwarded: '198.51.100.1' });
        assert.equal((await call(rig, { forwarded: '198.51.100.1' })).status, 429);
        assert.equal((await call(rig, { forwarded: '198.51.100.2' })).status, 401);
      },
      { trustProxy: ['127.0.0.1'] },
    ));

  it('is used only for the entry that the trusted address added itself', () =>
    withRig(
      async (rig) => {
        for (let attempt = 0; attempt < ALLOWED; attempt += 1)
          await call(rig, { forwarded: `203.0.113.${attempt}, 198.51.100.1` });
        assert.equal((await call(rig, { forwarded: '203.0.113.250, 198.51.100.1' })).status, 429);
      },
      { trustProxy: ['127.0.0.0/8'] },
    ));
});
