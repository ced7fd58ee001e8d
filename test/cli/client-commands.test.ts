import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sha256Of, wireAnalysis } from '../builders.ts';
import { TestInstallation } from '../installation.ts';
import { awayFromMidnight } from '../until.ts';

const KNOWN = sha256Of('known');
const UNKNOWN = sha256Of('unknown');

const table = (kind: string) =>
  fileURLToPath(new URL(`../fixtures/networks/${kind}-geolite.mmdb`, import.meta.url));

describe('commands that call a server', () => {
  const installation = new TestInstallation();
  let url: string;
  let alice: Record<string, string>;
  const run = (...words: string[]) => installation.run(words, { settings: alice });

  /** The settings of a new account with its own quota. */
  async function researcher(name: string, quota: number): Promise<Record<string, string>> {
    const words = ['account', 'add', name, '--researcher', '--quota', String(quota)];
    return { RAPSHEET_URL: url, RAPSHEET_TOKEN: (await installation.json(...words)).token };
  }

  before(async () => {
    const server = await installation.server({
      RAPSHEET_ASN_DB: table('asn'),
      RAPSHEET_COUNTRY_DB: table('country'),
    });
    url = server.url;
    await installation.json('service', 'add', 'ply', '--host', '*.tunnel.example');
    const lines = installation.file('samples.ndjson', `${JSON.stringify(wireAnalysis('known'))}\n`);
    await installation.json('sample', 'import', lines);
    alice = await researcher('alice', 1000);
  });
  after(() => installation.close());

  it('report, fetch and delete', async () => {
    const words = ['ply', '--c2', 'evil[.]example:4444', '--hash', KNOWN];
    const made = await run(
      'report',
      'add',
      ...words,
      '--tag',
      'a',
      '--tag',
      'b',
      '--confidence',
      '70',
    );
    assert.equal(made.code, 0, made.stderr);
    const id = made.stdout.trim();

    const fetched = await run('report', 'show', 'ply', id, '--as-reported', '--json');
    const { report, successful } = JSON.parse(fetched.stdout);
    assert.equal(successful, true);
    assert.equal(report.c2Address, 'evil.example:4444');
    assert.deepEqual(report.tags, ['a', 'b']);
    assert.equal(report.confidenceScore, 70);
    assert.match(
      (await run('report', 'show', 'ply', id, '--as-reported')).stdout,
      /^C2 address {2}evil\.example:4444$/m,
    );

    assert.equal((await run('report', 'remove', 'ply', id)).code, 0);
    const again = await run('report', 'remove', 'ply', id);
    assert.equal(again.code, 3);
    assert.match(again.stderr, /^rapsheet report remove: There is no report with this id/);
  });

  it('create no second report with the same key', async () => {
    const words = ['ply', '--c2', 'evil.example:1', '--hash', KNOWN, '--key', 'case 17'];
    const [one, other] = [
      await run('report', 'add', ...words),
      await run('report', 'add', ...words),
    ];
    assert.equal(one.code, 0, one.stderr);
    assert.equal(one.stdout, other.stdout);
  });

  it('print no control characters of a server', async (t) => {
    const evil = '\u001b]0;x\u0007\u009b2J\u202e';
    const pattern = { pattern: evil, recordName: evil, url: evil, state: 'declared' };
    const answer = {
      ...{ id: evil, service: evil, pattern: evil, host: evil, verified: true },
      ...{ patterns: [pattern], challenge: evil, report: null, problems: [{ error: evil }] },
    };
    const server = createServer((_, response) => {
      response.setHeader('connection', 'close').end(JSON.stringify(answer));
    }).listen(0, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const report = ['report', 'add', 'ply', '--c2', 'evil.example:1', '--hash', KNOWN];
    for (const words of [
      ['c2', 'show', 'evil.example', '--route'],
      ['service', 'show', 'ply', '--ownership'],
      report,
      [...report, '--dry-run'],
      ['proposal', 'report', '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80'],
    ]) {
      const { stdout, stderr } = await run(...words, '--url', `http://127.0.0.1:${port}`);
      assert.match(stdout + stderr, /\?\]0;x\?\?2J\?/, words.join(' '));
      assert.doesNotMatch(stdout + stderr, /(?!\n)\p{C}/u, words.join(' '));
    }
  });

  it('preview a report without storing it', async () => {
    const words = ['ply', '--c2', 'dry[.]tunnel[.]example:4444', '--hash', KNOWN, '--dry-run'];
    const { stdout, code, stderr } = await run('report', 'add', ...words);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^c2Address +dry\.tunnel\.example:4444$/m);
    assert.match(stdout, /^route +ply$/m);
    assert.match(stdout, /^Nothing was stored\.$/m);
    const { report } = JSON.parse((await run('report', 'add', ...words, '--json')).stdout);
    assert.equal(report.sightings, 1);
    const refused = await run('report', 'add', 'ply', '--c2', 'x', '--hash', KNOWN, '--dry-run');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^rapsheet report add: --c2 must be/);
    assert.match((await run('c2', 'show', 'dry.tunnel.example')).stdout, /^reported +never$/m);
  });

  it('show the network and the country of an address', async () => {
    const known = await run('c2', 'show', '192.0.2.7');
    assert.match(known.stdout, /^network +AS64496 Example Net, NL$/m);
    const route = await run('c2', 'show', '203.0.113.200:4444', '--route');
    assert.equal(route.stdout, 'network: AS65551\n');
    assert.equal(route.stderr, 'No service declares 203.0.113.200.\n');
    const { asn, country } = JSON.parse(
      (await run('c2', 'show', '2001:db8::1', '--route', '--json')).stdout,
    );
    assert.deepEqual([asn, country], [{ number: 64498, name: 'Example Six' }, 'BR']);
    assert.doesNotMatch((await run('c2', 'show', 'evil.example')).stdout, /^network/m);
  });

  it('do not start a server whose table is missing', async () => {
    const words = ['serve'];
    const settings = { RAPSHEET_ASN_DB: '/nowhere/asn.mmdb', RAPSHEET_PORT: '0' };
    const { code, stderr } = await installation.run(words, { settings });
    assert.equal(code, 1);
    assert.match(stderr, /RAPSHEET_ASN_DB must name an MMDB file .*asn\.mmdb does not exist/);
  });

  it('show what is known of a C2 and of a host', async () => {
    const words = ['ply', '--c2', 'known.tunnel.example:4444', '--hash', KNOWN];
    const id = (await run('report', 'add', ...words)).stdout.trim();
    const { stdout, code, stderr } = await run('c2', 'show', 'known[.]tunnel[.]example:4444');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^address +known\.tunnel\.example:4444$/m);
    assert.match(stdout, /^service +ply \(\*\.tunnel\.example\)$/m);
    assert.match(stdout, /^reports +1: 1 open$/m);
    assert.match(stdout, new RegExp(`^${id} +ply +open `, 'm'));
    const host = JSON.parse((await run('c2', 'show', 'known.tunnel.example', '--json')).stdout);
    assert.equal(host.reports.total, 1);
    assert.match((await run('c2', 'show', 'nobody.example')).stdout, /^reported +never$/m);
    const refused = await run('c2', 'show', 'a b');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^rapsheet c2 show: c2 must be "<host>:<port>" or a host/);
  });

  it('name the service that answers for an address', async () => {
    assert.equal(
      (await run('c2', 'show', 'a.tunnel.example:80', '--route')).stdout.trim(),
      'ply (*.tunnel.example, declared)',
    );
    const none = await run('c2', 'show', 'nobody.example', '--route');
    assert.deepEqual([none.code, none.stdout.trim()], [0, 'unclaimed']);
    assert.match(none.stderr, /No service declares nobody\.example/);
    assert.match(
      (await run('service', 'list')).stdout,
      /^SLUG .* OPEN *\nply .*\*\.tunnel\.example.* \d+ *$/m,
    );
    const { services } = JSON.parse((await run('service', 'list', '--json')).stdout);
    assert.deepEqual(
      services.map(({ slug }: { slug: string }) => slug),
      ['ply', 'unclaimed'],
    );
  });

  it('show the statistics of a feed and of all feeds', async () => {
    await run(
      'report',
      'add',
      'ply',
      '--c2',
      'counted.example:4',
      '--hash',
      KNOWN,
      '--tag',
      'counted',
    );
    for (const args of [
      ['statistics', 'show', 'ply'],
      ['statistics', 'show'],
    ]) {
      const { stdout } = await run(...args);
      assert.match(stdout, /^reports +\d+: \d+ open/m);
      assert.match(stdout, /^NAME +REPORTS$/m);
      assert.match(stdout, /^\d{4}-\d\d-\d\d +\d+ +0 +0 +0$/m);
    }
    const { days } = JSON.parse((await run('statistics', 'show', '--days', '7', '--json')).stdout);
    assert.equal(days.length, 7);
    const refused = await run('statistics', 'show', '--days', '91');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /days must be an integer from 1 to 90/);
  });

  it('show the outcomes of a reporter and the scorecard of a service', async () => {
    await run(
      'report',
      'add',
      'ply',
      '--c2',
      'judged.example:4',
      '--hash',
      KNOWN,
      '--tag',
      'judged',
    );
    const reporter = await run('statistics', 'show', '--reporter', 'alice');
    assert.match(reporter.stdout, /^reports +\d+: \d+ open/m);
    const service = await run('statistics', 'show', 'ply', '--scorecard', '--days', '7');
    assert.match(service.stdout, /^backlog +\d+ open, 0 acknowledged$/m);
    assert.match(service.stdout, /^acted in +no report was answered$/m);
    assert.match(service.stdout, /^recurrences +0, 0 in 7 days$/m);
    const unknown = await run('statistics', 'show', '--reporter', 'nobody');
    assert.equal(unknown.code, 3);
    assert.match(unknown.stderr, /no reporter with this name/);
  });

  it('show the units charged per day', async () => {
    await awayFromMidnight();
    const settings = await researcher('dora', 10);
    const unused = await installation.run(['usage', 'show'], { settings });
    assert.match(unused.stderr, /No lookup was charged/);
    await installation.run(['lookup', KNOWN, KNOWN], { settings });
    const { stdout } = await installation.run(['usage', 'show'], { settings });
    assert.match(stdout, /^DAY +UNITS\n\d{4}-\d\d-\d\d +2$/m);
    assert.match(stdout, /^TOKEN +OPERATION +UNITS +FIRST +LAST\n\S.* (lookup|batch) +2 +20/m);
    const day = new Date().toISOString().slice(0, 10);
    const { days } = JSON.parse(
      (await installation.run(['usage', 'show', '--day', day, '--json'], { settings })).stdout,
    );
    assert.deepEqual([days.length, days[0].itemised, days[0].entries[0].units], [1, true, 2]);
    const refused = await installation.run(['usage', 'show', '--day', '2026-02-30'], { settings });
    assert.match(refused.stderr, /day must be a UTC day of the form YYYY-MM-DD/);
    const stored = await installation.run(['usage', 'show', 'dora', '--from', day]);
    assert.equal(stored.stdout, stdout);
    const wrong = async (...words: readonly string[]) => {
      const { code, stderr } = await installation.run(['usage', 'show', 'dora', ...words]);
      assert.equal(code, 2);
      return stderr;
    };
    assert.match(await wrong('--to', 'today'), /: --to must be a UTC day/);
    const both = ['--day', day, '--from', day];
    assert.match(await wrong(...both), /: --day cannot be combined with --from or --to\./);
    const reverse = ['--from', '2026-02-02', '--to', '2026-02-01'];
    assert.match(await wrong(...reverse), /: --from must not be after --to\./);
  });

  it("print the server's message for an error", async () => {
    const { code, stderr, stdout } = await run(
      'report',
      'add',
      'ply',
      '--c2',
      'x',
      '--hash',
      KNOWN,
    );
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /^rapsheet report add: --c2 must be/);
  });

  it('look up several hashes, and print the missing ones and the remaining quota', async () => {
    const settings = await researcher('bob', 4);
    const { code, stdout, stderr } = await installation.run(['lookup', UNKNOWN, KNOWN], {
      settings,
    });
    assert.equal(code, 3);
    assert.match(stdout, /^known\.exe\n/);
    assert.match(stderr, new RegExp(`^${UNKNOWN}: There is no analysis report`));
    assert.match(stderr, /\n2 lookups are left; the quota of 4 resets at /);
  });

  it('take no quota for an invalid hash', async () => {
    const left = async () =>
      JSON.parse((await run('usage', 'show', '--balance', '--json')).stdout).requests_left;
    const before = await left();
    assert.equal((await run('lookup', KNOWN, 'beef')).code, 2);
    assert.equal(await left(), before);
  });

  it('exit with 5 if the quota is exhausted', async () => {
    const settings = await researcher('carol', 1);
    const { code, stdout } = await installation.run(['lookup', KNOWN, KNOWN, '--json'], {
      settings,
    });
    assert.equal(code, 5);
    assert.equal(JSON.parse(stdout.split('\n')[0] ?? '').sha256Hash, KNOWN);
  });

  it("never use the administrator's token in the data folder by themselves", async () => {
    const settings = { RAPSHEET_URL: url };
    for (const words of [
      ['usage', 'show', '--balance'],
      ['webhook', 'list', '--all'],
    ]) {
      const { code, stderr } = await installation.run(words, { settings });
      assert.equal(code, 4);
      const login = `rapsheet login --url ${url}`;
      assert.ok(stderr.includes(`sign in with \`${login}\``), stderr);
      assert.ok(stderr.includes(`\`${login} --token-file ${installation.dataDir}/admin-token\``));
    }
  });

  it('exit with 4 if the server does not know the token', async () => {
    const RAPSHEET_TOKEN = (await installation.json('token', 'generate')).token;
    const { code, stderr } = await installation.run(['usage', 'show', '--balance'], {
      settings: { ...alice, RAPSHEET_TOKEN },
    });
    assert.equal(code, 4);
    assert.ok(!stderr.includes(RAPSHEET_TOKEN));
  });

  it('name the URL of a server that is not reachable', async () => {
    const { code, stderr } = await run('usage', 'show', '--balance', '--url', 'http://127.0.0.1:9');
    assert.equal(code, 6);
    assert.match(stderr, /No complete answer came from http:\/\/127\.0\.0\.1:9/);
  });

  it('tell that the desk has rejected the C2', async () => {
    const words = ['raft', '--c2', 'customer.example:4444', '--hash', KNOWN];
    await installation.json('service', 'add', 'raft');
    const id = (await run('report', 'add', ...words)).stdout.trim();
    const desk = await installation.json('account', 'add', 'raft-desk', '--service', 'raft');
    const settings = { RAPSHEET_URL: url, RAPSHEET_TOKEN: desk.token };
    const status = ['--status', 'rejected', '--reason', 'false_positive'];
    const set = await installation.run(['report', 'set', 'raft', id, ...status], { settings });
    assert.equal(set.code, 0, set.stderr);

    const again = await run('report', 'add', ...words);
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stdout, /^[0-9a-f-]{36}\n$/);
    assert.match(again.stderr, /the desk has rejected this C2 as a false positive/);
    const json = await run('report', 'add', ...words, '--json');
    assert.equal(JSON.parse(json.stdout).c2Rejected, true);
    assert.match(
      (await run('report', 'add', ...words, '--dry-run')).stdout,
      /^rejected +the desk has/m,
    );
    assert.match((await run('report', 'show', 'raft', id)).stdout, /^C2 +rejected by the desk/m);
    const lines = JSON.stringify({ c2Address: 'customer.example:4444', file256Hash: KNOWN });
    const bulk = await run(
      'report',
      'add',
      'raft',
      installation.file('again.ndjson', `${lines}\n`),
    );
    assert.match(bulk.stdout + bulk.stderr, /1 created.*; 1 with a C2 that the desk has rejected/);
  });
});
