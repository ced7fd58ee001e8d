import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../src/domain/duration.ts';
import { recheckProofs } from '../../../src/operations/ownership/recheck-proofs.ts';
import { Dns } from '../../../src/outgoing/dns.ts';
import { GuardedHttp } from '../../../src/outgoing/guarded-http.ts';
import { NetworkProver } from '../../../src/outgoing/ownership-prover.ts';
import { DnsServer } from '../../outgoing/dns-server.ts';
import { CERTIFICATE, LOOPBACK, Receiver } from '../../outgoing/receiver.ts';
import { openRig, type Rig, type TestAccount } from '../http-rig.ts';

/** The name in the certificate of the receiver. */
const WEB = 'hook.example.invalid';

/** A real name server and a real web server on loopback, and a moved clock. */
describe('proofs of ownership', () => {
  const names = new DnsServer();
  const web = new Receiver(true);
  let rig: Rig;
  before(async () => {
    await Promise.all([names.listen(), web.listen()]);
    const dns = new Dns({ server: names.address });
    names.answers.set(`A ${WEB}`, { records: ['127.0.0.1'] });
    const http = new GuardedHttp({
      allowHttp: false,
      allowedNetworks: LOOPBACK.allowedNetworks,
      ca: CERTIFICATE,
      resolve: (name) => dns.addressesOf(name),
    });
    const prover = new NetworkProver({ dns, http, allowHttp: false, port: web.port });
    rig = await openRig({ prover });
  });
  after(async () => {
    await rig.close();
    await Promise.all([names.close(), web.close()]);
  });

  interface Declared {
    readonly service: string;
    readonly owner: TestAccount;
    readonly suffix: string;
    readonly record: string;
    readonly challenge: string;
  }

  async function declared(others: readonly string[] = []): Promise<Declared> {
    const suffix = `${rig.fresh('host')}.example`;
    const hosts = [suffix, `*.${suffix}`, ...others];
    const service = await rig.service({ hosts, networks: ['192.0.2.0/24'] });
    const owner = await rig.owner(service);
    const { challenge } = await shown(service, owner.token);
    return { service, owner, suffix, record: `_rapsheet.${suffix}`, challenge };
  }

  async function shown(service: string, token = rig.admin) {
    const answer = await rig.ask('GET', `/feed/${service}/ownership`, { token });
    assert.equal(answer.status, 200, answer.text);
    return answer.json as {
      readonly challenge: string;
      readonly patterns: readonly Readonly<Record<string, unknown>>[];
    };
  }

  const check = (service: string, pattern: string, method = 'dns', token = rig.admin) =>
    rig.ask('POST', `/feed/${service}/ownership/check`, { token, body: { pattern, method } });

  const states = async (service: string) =>
    (await shown(service)).patterns.map(({ pattern, state }) => `${state} ${pattern}`);

  async function recheck(): Promise<void> {
    while ((await recheckProofs(rig.deps, rig.clock.now())) > 0);
  }

  const auditOf = async (service: string) => {
    const answer = await rig.ask('GET', `/admin/audit?subject=${service}`, { token: rig.admin });
    const entries = answer.json['entries'] as readonly Record<string, unknown>[];
    return entries
      .filter(({ action }) => String(action).startsWith('ownership.'))
      .map(({ actor, action }) => `${actor} ${action}`);
  };

  it('show what is declared, and what to publish', async () => {
    const { service, suffix, record, challenge } = await declared(['192.0.2.7']);
    assert.match(challenge, /^rapsheet-verification=[\w-]{32}$/);
    const { patterns, ...rest } = await shown(service);
    assert.deepEqual(rest, { challenge, successful: true }, 'the token stays the same');
    assert.deepEqual(patterns[1], {
      pattern: `*.${suffix}`,
      state: 'declared',
      method: null,
      verifiedAt: null,
      checkedAt: null,
      problem: null,
      recordName: record,
      url: `https://${suffix}/.well-known/rapsheet`,
    });
    assert.equal(patterns[2]?.['recordName'], null, 'an address has no TXT records');
    assert.deepEqual(patterns[3], {
      pattern: '192.0.2.0/24',
      state: 'declared',
      method: null,
      verifiedAt: null,
      checkedAt: null,
      problem: 'A network cannot be proven this way: it stays declared.',
      recordName: null,
      url: null,
    });
  });

  it('are for owners and administrators', async () => {
    const { service, suffix } = await declared();
    const stranger = await rig.account({ roles: ['researcher'] });
    for (const answer of [
      await rig.ask('GET', `/feed/${service}/ownership`, { token: stranger.token }),
      await check(service, suffix, 'dns', stranger.token),
    ]) {
      assert.equal(answer.status, 403);
      assert.equal(answer.headers['x-error-code'], 'not_owner_or_admin');
    }
    assert.equal((await rig.ask('GET', `/feed/${service}/ownership`)).status, 401);
    assert.equal(
      (await rig.ask('GET', '/feed/nobody/ownership', { token: rig.admin })).status,
      404,
    );
  });

  it('hold for the host and its subdomains, and are shown in the list of services', async () => {
    const { service, owner, suffix, record, challenge } = await declared(['other.example']);
    names.txt(record, challenge);
    const answer = await check(service, `*.${suffix}`, 'dns', owner.token);
    assert.deepEqual(answer.json, {
      pattern: `*.${suffix}`,
      state: 'verified',
      method: 'dns',
      verifiedAt: '2026-08-26T10:00:00Z',
      checkedAt: '2026-08-26T10:00:00Z',
      problem: null,
      recordName: record,
      url: `https://${suffix}/.well-known/rapsheet`,
      successful: true,
    });
    assert.deepEqual(await states(service), [
      `verified ${suffix}`,
      `verified *.${suffix}`,
      'declared other.example',
      'declared 192.0.2.0/24',
    ]);
    for (const path of ['/api/services?limit=1000', '/admin/services']) {
      const { services } = (await rig.ask('GET', path, { token: rig.admin })).json;
      const listed = (services as readonly Record<string, unknown>[]).find(
        ({ slug }) => slug === service,
      );
      assert.deepEqual(listed?.['verifiedHosts'], [suffix, `*.${suffix}`], path);
    }
    assert.deepEqual(await auditOf(service), [`${owner.name} ownership.verify`]);
  });

  it('can be given by a file', async () => {
    const { service, owner, challenge } = await declared([WEB]);
    web.answer = (response) => response.end(`${challenge}\n`);
    const answer = await check(service, WEB, 'http', owner.token);
    assert.deepEqual([answer.json['state'], answer.json['method']], ['verified', 'http']);
    web.answer = (response) => response.writeHead(404).end();
    rig.clock.advance(10_000);
    const failed = await check(service, WEB, 'http', owner.token);
    assert.equal(failed.json['state'], 'verified');
    assert.match(
      String(failed.json['problem']),
      /does not exist: .* The proof ends after 2026-08-29T10:00:10Z if this does not change\.$/,
    );
  });

  it('say what is wrong', async () => {
    const { service, suffix, record } = await declared();
    const problem = async () => {
      rig.clock.advance(10_000);
      const answer = await check(service, suffix);
      assert.equal(answer.json['state'], 'declared');
      return answer.json['problem'];
    };
    assert.equal(await problem(), `${record} has no TXT record with the challenge.`);
    names.txt(record, 'rapsheet-verification=of-somebody-else');
    assert.match(String(await problem()), /^The token of another service or installation/);
    names.answers.set(`TXT ${record}`, { code: 'servFail' });
    assert.match(String(await problem()), /^The name server answered with an error/);
    const elsewhere = await check(service, suffix, 'http');
    assert.equal(elsewhere.status, 429, 'the interval is one for both methods');
  });

  it('are checked at most every ten seconds for each host', async () => {
    const { service, suffix } = await declared(['second.example']);
    assert.equal((await check(service, suffix)).status, 200);
    const refused = await check(service, `*.${suffix}`);
    assert.equal(refused.status, 429);
    assert.equal(refused.headers['x-error-code'], 'check_too_soon');
    assert.equal(refused.headers['retry-after'], '10');
    assert.match(String(refused.json['error']), /wait 10 s before the next check/);
    assert.equal((await check(service, 'second.example')).status, 200);
    rig.clock.advance(10_000);
    assert.equal((await check(service, suffix)).status, 200);
  });

  it('are found by a pattern in upper case, and name it as it was declared', async () => {
    const { service, suffix } = await declared();
    const { status, json } = await check(service, suffix.toUpperCase());
    assert.deepEqual([status, json['pattern']], [200, suffix]);
    assert.equal(Object.keys(json)[0], 'pattern');
  });

  it('are refused for what is not declared, for networks, and for records of an address', async () => {
    const { service, suffix } = await declared(['192.0.2.7']);
    const refusal = async (pattern: string, method = 'dns') => {
      const answer = await check(service, pattern, method);
      return `${answer.status} ${answer.json['error']}`;
    };
    assert.match(await refusal('elsewhere.example'), /^404 This service does not declare this/);
    assert.match(await refusal(`a.${suffix}`), /^404 /);
    assert.match(await refusal('192.0.2.0/24'), /^400 .*a network cannot be proven this way/);
    assert.match(await refusal('192.0.2.7'), /^400 method must be http: an address has no TXT/);
    assert.match(await refusal(suffix, 'mail'), /^400 method must be one of dns, http/);
    assert.match(await refusal('x'.repeat(400)), /^400 pattern must be/);
  });

  it('end when the host is removed', async () => {
    const { service, suffix, record, challenge } = await declared();
    names.txt(record, challenge);
    await check(service, suffix);
    const body = { hosts: ['new.example'] };
    const changed = await rig.ask('PATCH', `/admin/services/${service}`, {
      token: rig.admin,
      body,
    });
    assert.deepEqual((changed.json['service'] as Record<string, unknown>)['verifiedHosts'], []);
    assert.deepEqual((await auditOf(service))[0], 'admin ownership.withdraw');
    assert.equal((await shown(service)).challenge, challenge);
  });

  it('are checked every day, and outlast an outage of the name server', async () => {
    const { service, suffix, record, challenge } = await declared();
    names.txt(record, challenge);
    await check(service, suffix);
    names.asked.length = 0;
    await recheck();
    assert.equal(names.asked.length, 0, 'nothing is due yet');
    names.answers.set(`TXT ${record}`, { code: 'servFail' });
    for (let day = 0; day < 10; day += 1) {
      rig.clock.advance(DAY_MS);
      await recheck();
    }
    assert.ok(names.asked.filter((name) => name.endsWith(record)).length >= 10);
    assert.deepEqual((await states(service)).slice(0, 1), [`verified ${suffix}`]);
    assert.match(String((await shown(service)).patterns[0]?.['problem']), /answered with an error/);
    names.txt(record, challenge);
    rig.clock.advance(2 * HOUR_MS);
    await recheck();
    assert.equal((await shown(service)).patterns[0]?.['problem'], null);
  });

  it('are withdrawn after three days without the record, or at once with another token', async () => {
    const [slow, fast] = [await declared(), await declared()];
    for (const { service, suffix, record, challenge } of [slow, fast]) {
      names.txt(record, challenge);
      await check(service, suffix);
    }
    names.answers.delete(`TXT ${slow.record}`);
    names.txt(fast.record, slow.challenge);
    const first = async ({ service }: Declared) => (await states(service))[0]?.split(' ')[0];
    for (const day of [1, 2, 3]) {
      rig.clock.advance(DAY_MS);
      await recheck();
      assert.equal(await first(slow), 'verified', `day ${day}`);
      assert.equal(await first(fast), 'declared', `day ${day}`);
    }
    rig.clock.advance(DAY_MS);
    await recheck();
    assert.equal(await first(slow), 'declared');
    assert.deepEqual(await auditOf(slow.service), [
      'rapsheet ownership.withdraw',
      'rapsheet ownership.check',
      'admin ownership.verify',
    ]);
    names.asked.length = 0;
    rig.clock.advance(DAY_MS);
    await recheck();
    assert.equal(
      names.asked.includes(`TXT ${slow.record}`),
      false,
      'a declared host is left alone',
    );
  });

  it('do not overlook one of many that are due', async () => {
    const all = await Promise.all(Array.from({ length: 11 }, () => declared()));
    for (const { service, suffix, record, challenge } of all) {
      names.txt(record, challenge);
      await check(service, suffix);
    }
    names.asked.length = 0;
    rig.clock.advance(DAY_MS);
    await recheck();
    for (const { record } of all)
      assert.equal(names.asked.filter((name) => name === `TXT ${record}`).length, 1);
  });
});
