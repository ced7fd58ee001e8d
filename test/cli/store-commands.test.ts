import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { isToken } from '../../src/domain/accounts/token.ts';
import { onPostgres } from '../database.ts';
import { TestInstallation } from '../installation.ts';
import { eventually } from '../until.ts';

const UNKNOWN_ID = '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80';

/**
 * On SQLite a server sees the change of a command with its next request. On PostgreSQL it is
 * notified, so some tests ask again there.
 */
describe('commands on the store', () => {
  let installation: TestInstallation;
  before(async () => {
    installation = new TestInstallation();
    await installation.json('service', 'add', 'shared');
    await installation.json('account', 'add', 'shared');
  });
  after(() => installation.close());

  const refused = async (code: number, ...words: readonly string[]) => {
    const outcome = await installation.run(words);
    assert.equal(outcome.code, code, outcome.stderr);
    assert.equal(outcome.stdout, '');
    return outcome.stderr;
  };

  it('name an unusable file and the reason', async () => {
    const file = installation.file('notes.txt', 'notes '.repeat(100));
    const errorLine = async (settings: Readonly<Record<string, string>>) => {
      const { code, stderr } = await installation.run(['service', 'add', 'x'], { settings });
      assert.equal(code, 1);
      assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
      return stderr;
    };
    assert.match(
      await errorLine({ RAPSHEET_DATABASE_URL: `sqlite:${file}` }),
      /the store in .*notes\.txt cannot be opened: file is not a database/,
    );
    assert.match(
      await errorLine({ RAPSHEET_DATA_DIR: file }),
      /RAPSHEET_DATA_DIR: the folder .*notes\.txt cannot be used: EEXIST/,
    );
  });

  it('lists failed samples, and refuses to analyse one that is unknown', async () => {
    assert.deepEqual(await installation.json('sample', 'failed'), {
      samples: [],
      nextCursor: null,
      hasMore: false,
    });
    assert.match(await refused(2, 'sample', 'failed', '--limit', '0'), /--limit must be/);
    assert.match(await refused(3, 'sample', 'analyse', 'ab'.repeat(32)), /is not stored here/);
    assert.match(await refused(2, 'sample', 'analyse', 'ab'), /<sha256> must be/);
  });

  it('analyse all files again, show how many are left, and stop', async () => {
    const analyse = (...words: readonly string[]) =>
      installation.json('sample', 'analyse', ...words);
    assert.partialDeepStrictEqual(await analyse('--status'), { state: null, remaining: 0 });
    const before = '2026-11-01T00:00:00Z';
    assert.partialDeepStrictEqual(await analyse('--all', '--before', before), {
      state: 'running',
      before,
      startedBy: 'command line',
    });
    assert.match(await refused(1, 'sample', 'analyse', '--all'), /analysed again already/);
    const { stdout } = await installation.run(['sample', 'analyse', '--stop']);
    assert.match(stdout, /: stopped; 0 files queued, 0 left;/);
    assert.match(stdout, /--all --before 2026-11-01T00:00:00Z$/m);
    assert.match(await refused(2, 'sample', 'analyse'), /either a SHA-256, --all/);
    assert.match(await refused(2, 'sample', 'analyse', '--status', '--before', before), /--all/);
    assert.match(await refused(2, 'sample', 'analyse', '--all', '--before', 'x'), /--before must/);
  });

  it('filters the audit log', async () => {
    const { entries, nextBefore } = await installation.json(
      ...['audit', 'list', '--action', 'service', '--subject', 'shared'],
    );
    assert.deepEqual(
      entries.map(({ action }: { readonly action: string }) => action),
      ['service.add'],
    );
    assert.equal(nextBefore, null);
  });

  it('adds a service with every field of the API', async () => {
    const words = ['--name', 'Ply Tunnels', '--scale', '10', '--host', '*.ply.example'];
    const { service } = await installation.json(
      ...['service', 'add', 'ply', ...words],
      ...['--host', 'ply.example', '--network', '203.0.113.0/24'],
      ...['--expire-after', '30'],
    );
    const { createdAt, ...rest } = service;
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.deepEqual(rest, {
      slug: 'ply',
      name: 'Ply Tunnels',
      confidenceScale: 10,
      hosts: ['*.ply.example', 'ply.example'],
      networks: ['203.0.113.0/24'],
      expireAfterDays: 30,
      verifiedHosts: [],
      mail: null,
    });
  });

  it('refuses a public suffix, and lists hosts in those of another service', async () => {
    const refused = await installation.run(['service', 'add', 'all-of-it', '--host', '*.co.uk']);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /--host must not have \*\.co\.uk: co\.uk is a public suffix/);
    await installation.json('service', 'add', 'outer', '--host', '*.over.example');
    await installation.json('service', 'add', 'inner', '--host', 'in.over.example');
    const { stdout } = await installation.run(['service', 'overlaps']);
    assert.match(
      stdout,
      /^in\.over\.example +inner +declared +\*\.over\.example +outer +declared$/m,
    );
    const { overlaps } = await installation.json('service', 'overlaps');
    assert.equal(overlaps[0].within.service, 'outer');
  });

  it('changes only the given fields of a service', async () => {
    await installation.json('service', 'add', 'cask', '--name', 'Cask', '--host', 'cask.example');
    const { service } = await installation.json(
      'service',
      'set',
      'cask',
      '--scale',
      '10',
      '--no-hosts',
    );
    assert.equal(service.name, 'Cask');
    assert.equal(service.confidenceScale, 10);
    assert.deepEqual(service.hosts, []);
    const { services } = await installation.json('service', 'list');
    assert.deepEqual(
      services.find(({ slug }: { slug: string }) => slug === 'cask'),
      service,
    );
  });

  it('prints a table with aligned columns', async () => {
    const { code, stdout } = await installation.run(['service', 'list']);
    assert.equal(code, 0);
    const [heads = '', ...rows] = stdout.trimEnd().split('\n');
    const shared = rows.find((row) => row.startsWith('shared')) ?? '';
    assert.equal(shared.indexOf('100'), heads.indexOf('SCALE'));
    assert.match(shared, /^shared\s+shared\s+100\s+-\s+-$/);
  });

  it('rejects an invalid service, naming the argument and the options', async () => {
    const options = ['--scale', 'ten', '--network', '203.0.113.0', '--host', 'a b'];
    const output = await refused(2, 'service', 'add', 'ALL', ...options, '--expire-after', '0');
    assert.deepEqual(output.trimEnd().split('\n'), [
      'rapsheet service add: <slug> must be 1 to 63 lower-case letters, digits and hyphens, not beginning with a hyphen, and neither "all" nor "unclaimed".',
      '--scale must be an integer from 1 to 100.',
      '--host must be a host name, with or without "*." before it, given at most 1000 times.',
      '--network must be a network in CIDR notation, given at most 1000 times.',
      '--expire-after must be an integer from 1 to 3650.',
    ]);
    assert.match(await refused(2, 'service', 'add', 'unclaimed'), /neither "all" nor "unclaimed"/);
    const mail = await refused(2, 'service', 'set', 'shared', '--mail-format', 'arf');
    assert.match(mail, /--mail-to is missing; it must be one mail address/);
    const format = await refused(2, 'service', 'set', 'shared', '--mail-format', 'pdf');
    assert.match(format, /: --mail-format must be xarf or arf$/m);
  });

  it('fails for an existing service, and exits with 3 for an unknown one', async () => {
    assert.match(
      await refused(1, 'service', 'add', 'shared'),
      /A service with this name already exists/,
    );
    assert.match(
      await refused(3, 'service', 'set', 'nobody', '--name', 'x'),
      /There is no service/,
    );
  });

  it('adds an account and shows its token once', async () => {
    const { account, token } = await installation.json(
      ...['account', 'add', 'alice', '--researcher', '--service', 'shared'],
      ...['--quota', '300', '--period', 'month', '--expires', '2099-01-01T00:00:00Z'],
    );
    assert.ok(isToken(token));
    assert.deepEqual(account.roles, ['researcher']);
    assert.deepEqual(account.services, ['shared']);
    assert.equal(account.quota.limit, 300);
    assert.equal(account.quota.period, 'month');
    assert.equal(account.expiresAt, '2099-01-01T00:00:00Z');
    const listed = await installation.run(['account', 'list']);
    assert.match(listed.stdout, /alice {2,}researcher {2,}shared {2,}300 a month {2,}300/);
    assert.ok(!listed.stdout.includes(token));
  });

  it('prints only the token of a new account on the last line', async () => {
    const { stdout } = await installation.run(['account', 'add', 'bruno', '--quota', 'unlimited']);
    assert.match(stdout, /bruno.*unlimited/);
    assert.ok(isToken(stdout.trimEnd().split('\n').at(-1) ?? ''));
  });

  it('rejects an invalid account, naming the argument and the options', async () => {
    const options = ['--quota', 'lots', '--expires', 'soon'];
    const output = await refused(2, 'account', 'add', ' x', ...options);
    assert.deepEqual(output.trimEnd().split('\n'), [
      'rapsheet account add: <name> must be a text of 1 to 64 visible characters without space at its ends, and with letters of one script.',
      '--expires must be a time of the form YYYY-MM-DDTHH:MM:SSZ, or "never".',
      '--quota must be a whole number or "unlimited" (at most 1000000000).',
    ]);
    const period = await refused(2, 'account', 'add', 'x', '--period', 'week');
    assert.match(period, /: --period must be day, month or none$/m);
    const set = ['account', 'set', 'shared'];
    assert.match(await refused(2, ...set, '--top-up', 'x'), /: --top-up must be an integer from 1/);
    assert.match(await refused(2, ...set, '--quota', '9999999999'), /: --quota must be a whole/);
    for (const rate of ['fast', '0', '5/', '1/2/3'])
      assert.match(
        await refused(2, ...set, '--create-rate', rate),
        /: --create-rate must be "<reports a minute>"/,
      );
    assert.match(
      await refused(1, 'account', 'add', 'chiyo', '--service', 'nobody'),
      /--service must name services that exist/,
    );
  });

  it('refuses a name that looks like that of another account', async () => {
    await installation.json('account', 'add', 'lookalike');
    const output = await refused(1, 'account', 'add', 'LookAIike');
    assert.match(
      output,
      /The account "lookalike" has this name already, or one that looks the same/,
    );
    assert.match(await refused(2, 'account', 'add', 'lооkalike'), /letters of one script/);
  });

  it('ends the administration of the last administrator, with a warning that names the repair', async () => {
    const { accounts } = await installation.json('account', 'list');
    const admins = (accounts as { name: string; roles: string[] }[]).filter(({ roles }) =>
      roles.includes('admin'),
    );
    for (const { name } of admins) await installation.run(['account', 'set', name, '--no-admin']);
    await installation.json('account', 'add', 'boss', '--admin');
    await installation.json('account', 'add', 'deputy', '--admin');
    const first = await installation.run(['account', 'set', 'deputy', '--disable']);
    assert.doesNotMatch(first.stderr, /Warning/);
    const last = await installation.run(['account', 'set', 'boss', '--disable']);
    assert.match(last.stderr, /Warning: this was the last administrator.*account set .* --enable/);
    const repaired = ['account', 'set', 'boss', '--enable', '--admin', '--expires', 'never'];
    assert.equal((await installation.json(...repaired)).account.disabled, false);
    for (const { name } of admins) await installation.run(['account', 'set', name, '--admin']);
  });

  it('ends the sessions of an account, and revokes the tokens issued in them if asked to', async () => {
    await installation.json('account', 'add', 'walter');
    const ended = await installation.json('session', 'end', 'walter', '--issued');
    assert.deepEqual(ended, { ended: 0, revoked: 0, successful: true });
    const { stdout } = await installation.run(['session', 'end', 'walter']);
    assert.equal(stdout.trim(), '0 sessions ended.');
    assert.match(await refused(3, 'session', 'end', 'nobody'), /no account/);
  });

  it('changes only the given fields of an account, by name or id', async () => {
    const { account } = await installation.json(
      'account',
      'add',
      'dora',
      '--researcher',
      '--quota',
      '5',
    );
    const first = await installation.json('account', 'set', 'dora', '--admin', '--period', 'none');
    assert.deepEqual(first.account.roles.toSorted(), ['admin', 'researcher']);
    assert.deepEqual([first.account.quota.limit, first.account.quota.period], [5, 'none']);
    const rates = await Promise.all(
      ['60000/200000', '600', 'default'].map(async (rate) => {
        const set = ['account', 'set', 'dora', '--create-rate', rate];
        return (await installation.json(...set)).account.createRate;
      }),
    );
    assert.deepEqual(rates, [
      { perMinute: 60_000, burst: 200_000 },
      { perMinute: 600, burst: 20_000 },
      null,
    ]);
    const second = await installation.json(
      ...['account', 'set', account.id, '--no-researcher', '--top-up', '7', '--disable'],
      ...['--service', 'shared', '--expires', '2099-01-01T00:00:00Z'],
    );
    assert.deepEqual(second.account.roles, ['admin']);
    assert.equal(second.account.quota.remaining, 12);
    assert.equal(second.account.disabled, true);
    const third = await installation.json(
      ...['account', 'set', 'dora', '--enable', '--expires', 'never', '--no-services'],
    );
    assert.equal(third.account.disabled, false);
    assert.equal(third.account.expiresAt, null);
    // Its role owns the built-in feed.
    assert.deepEqual(third.account.services, ['unclaimed']);
    assert.deepEqual(third.account.roles, ['admin']);
    const fourth = await installation.json(
      ...['account', 'set', 'dora', '--no-admin', '--notices'],
    );
    assert.deepEqual([fourth.account.roles, fourth.account.services], [['notices'], ['unclaimed']]);
    const fifth = await installation.json(...['account', 'set', 'dora', '--no-notices']);
    assert.deepEqual([fifth.account.roles, fifth.account.services], [[], []]);
  });

  it('rejects an empty change, and contradicting options', async () => {
    assert.match(await refused(2, 'account', 'set', 'shared'), /no change is given/);
    assert.match(
      await refused(2, 'account', 'set', 'shared', '--disable', '--enable'),
      /--disable and --enable exclude each other/,
    );
    assert.match(await refused(3, 'account', 'set', 'nobody', '--admin'), /There is no account/);
  });

  it('prints only the issued token on standard output, and lists it without its text', async () => {
    const issued = await installation.run(['token', 'issue', 'shared', '--label', 'night job']);
    assert.equal(issued.code, 0);
    const token = issued.stdout.trimEnd();
    assert.ok(isToken(token));
    const { tokens } = await installation.json('token', 'list', 'shared');
    const listed = tokens.find(({ label }: { label: string }) => label === 'night job');
    assert.equal(listed.hint, `${token.slice(0, 8)}…`);
    assert.ok(!JSON.stringify(tokens).includes(token));
  });

  it('revokes a token, and exits with 3 for an unknown one', async () => {
    const { id } = await installation.json('token', 'issue', 'shared');
    assert.notEqual((await installation.json('token', 'revoke', id)).revokedAt, null);
    assert.match(await refused(3, 'token', 'revoke', UNKNOWN_ID), /There is no token/);
    assert.match(await refused(2, 'token', 'revoke', 'mine'), /<id> must be a UUID/);
  });

  it('records every change in the audit log with the command line as its actor', async () => {
    await installation.json('service', 'add', 'noted');
    const { entries } = await installation.json('audit', 'list', '--limit', '1');
    assert.equal(entries.length, 1);
    const [{ id, actor, action, subject }] = entries;
    assert.deepEqual([actor, action, subject], ['command line', 'service.add', 'noted']);
    const older = await installation.json('audit', 'list', '--limit', '1', '--before', String(id));
    assert.ok(older.entries[0].id < id);
    assert.match(await refused(2, 'audit', 'list', '--limit', '0'), /--limit must be an integer/);
  });

  it('exits with 2 and says what is wrong with a command line', async () => {
    assert.match(
      await refused(2, 'account', 'show'),
      /<id or name> \(the account, such as alice\) is missing/,
    );
    assert.match(
      await refused(2, 'service', 'list', '--wrong'),
      /there is no option --wrong\nrapsheet help service list/,
    );
    assert.match(await refused(2, 'service', 'sell'), /there is no command "service sell"/);
    const { code, stdout, stderr } = await installation.runAlone(['service', 'sell']);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /there is no command "service sell"/);
  });

  it('revokes a token for a running server with effect on the next request', async () => {
    const url = await installation.serve();
    const { token, id } = await installation.json('token', 'issue', 'shared');
    const status = async () =>
      (await fetch(`${url}/api/balance`, { headers: { authorization: token } })).status;
    assert.equal(await status(), 200);
    await installation.json('token', 'revoke', id);
    assert.equal(await eventually(status, (one) => !onPostgres || one === 401), 401);
  });

  it('ends a session of a running server with effect on the next request', async () => {
    const url = await installation.serve();
    const { token, id } = await installation.json('token', 'issue', 'shared');
    const signedIn = await fetch(`${url}/session`, {
      method: 'POST',
      headers: { authorization: token },
    });
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    assert.match(cookie, /^rapsheet_session=ras_/);
    const ask = () => fetch(`${url}/session`, { headers: { cookie } });
    assert.equal((await ask()).status, 200);
    await installation.json('token', 'revoke', id);
    const refused = await eventually(ask, ({ status }) => !onPostgres || status === 401);
    assert.equal(refused.headers.get('x-error-code'), 'session_expired');
    assert.match(refused.headers.get('set-cookie') ?? '', /^rapsheet_session=; Max-Age=0/);
  });
});

describe('account link', () => {
  let installation: TestInstallation;
  before(async () => {
    installation = new TestInstallation();
    await installation.json('account', 'add', 'alice');
  });
  after(() => installation.close());

  const minutesUntil = (time: string) => Math.round((Date.parse(time) - Date.now()) / 60_000);

  it('prints a link with the base URL of the settings, without a running server', async () => {
    const settings = { RAPSHEET_BASE_URL: 'https://abuse.example' };
    const words = ['account', 'link', 'alice'];
    const { code, stdout, stderr } = await installation.run(words, { settings });
    assert.equal(code, 0);
    assert.match(stdout, /^https:\/\/abuse\.example\/welcome#ral_[\w-]{38}\n$/);
    assert.match(stderr, /^Good once, until \S+Z:\n$/);
    const { link, expiresAt } = await installation.json(...words);
    assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/welcome#ral_/);
    assert.equal(minutesUntil(expiresAt), 15);
    const invitation = await installation.json(...words, '--invitation');
    assert.equal(minutesUntil(invitation.expiresAt), 7 * 24 * 60);
  });

  it('signs a browser in at a running server, once', async () => {
    const url = await installation.serve();
    const { link } = await installation.json('account', 'link', 'alice');
    // The settings of the command do not name the port of the server.
    assert.equal(new URL(link).origin, url);
    const signIn = () =>
      fetch(`${url}/session`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          origin: url,
          'sec-fetch-site': 'same-origin',
          'x-rapsheet-request': '1',
        },
        body: JSON.stringify({ link: new URL(link).hash.slice(1) }),
      });
    const first = await signIn();
    assert.partialDeepStrictEqual(await first.json(), { name: 'alice', session: { via: 'link' } });
    assert.equal((await signIn()).headers.get('x-error-code'), 'link_invalid');
  });

  it('refuses an account that does not exist', async () => {
    const { code, stderr } = await installation.run(['account', 'link', 'nobody']);
    assert.equal(code, 3);
    assert.match(stderr, /There is no account with this id or name/);
  });
});

describe('commands without a store', () => {
  let installation: TestInstallation;
  before(() => {
    installation = new TestInstallation();
  });
  after(() => installation.close());

  it('generates a valid token and opens no store', async () => {
    const { stdout } = await installation.run(['token', 'generate']);
    assert.ok(isToken(stdout.trimEnd()));
    assert.ok(isToken((await installation.json('token', 'generate')).token));
    assert.ok(!existsSync(installation.dataDir));
  });

  it('validates its values before it opens a store, and creates none', async () => {
    assert.equal((await installation.run(['service', 'add', 'ALL'])).code, 2);
    assert.ok(!existsSync(installation.dataDir));
  });

  it('names invalid settings', async () => {
    const { code, stderr } = await installation.run(['account', 'list'], {
      settings: { RAPSHEET_DATABASE_URL: 'mysql://x' },
    });
    assert.equal(code, 78);
    assert.match(stderr, /RAPSHEET_DATABASE_URL must be/);
  });

  it('reports a new store on standard error', async () => {
    const { code, stderr } = await installation.run(['account', 'add', 'alice']);
    assert.equal(code, 0);
    assert.match(stderr, /There was no store in .*: an empty one was created/);
  });
});
