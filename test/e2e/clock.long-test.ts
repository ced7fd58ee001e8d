import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RapsheetClient } from '../../src/client/client.ts';
import { onlyOnSqlite } from '../database.ts';
import { whyNoFakeTime, withClock } from '../faketime.ts';
import { TestInstallation, waitForOutput } from '../installation.ts';
import { newDatabase } from '../postgres.ts';
import { until } from '../until.ts';

const YEAR_AHEAD = withClock('+366d');
const DAY_MS = 86_400_000;
type Settings = Readonly<Record<string, string>>;

/** Starts the real program and collects its standard error. */
async function serve(installation: TestInstallation, settings: Settings) {
  const child = installation.start(['serve'], {
    RAPSHEET_PORT: '0',
    RAPSHEET_METRICS_PORT: '0',
    RAPSHEET_ANALYSIS_WORKERS: '0',
    ...settings,
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    output += part;
  });
  child.stdout.resume();
  const [, url = ''] = await waitForOutput(child, /listens on (http:\S+)/);
  const ended = new Promise((resolve) => child.once('close', resolve));
  return {
    url,
    output: () => output,
    end: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Adds a feed with one report, and a researcher who has spent one of two lookup units. */
async function fill(installation: TestInstallation, settings: Settings) {
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await installation.run([...args, '--json'], { settings });
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  await run('service', 'add', 'ply');
  const { token } = await run('account', 'add', 'alice', '--researcher', '--quota', '2');
  const server = await serve(installation, settings);
  const client = clientOf(server.url, token);
  await report(client, 1);
  await client.lookUp('ab'.repeat(32)).catch(() => undefined);
  return { token: String(token), server };
}

function clientOf(url: string, token: string): RapsheetClient {
  return new RapsheetClient({ url, token, retries: 0, timeoutMs: 120_000 });
}

async function report(client: RapsheetClient, port: number): Promise<string> {
  const { id } = await client.createReport('ply', {
    c2Address: `evil.example:${port}`,
    file256Hash: 'ab'.repeat(32),
  });
  return id;
}

describe('a server on PostgreSQL whose clock is a year ahead', { skip: whyNoFakeTime }, () => {
  it('is not ready, expires nothing, and uses the time of the database', async () => {
    const database = await newDatabase();
    const installation = new TestInstallation();
    const settings = { RAPSHEET_DATABASE_URL: database.url };
    try {
      const { token, server } = await fill(installation, settings);
      const ahead = await serve(installation, { ...settings, ...YEAR_AHEAD });
      await until(
        () => /housekeeping is paused/.test(ahead.output()),
        'the server logs the clock error',
      );
      assert.match(ahead.output(), /366\.0 days ahead of that of the database/);
      const answer = await fetch(`${ahead.url}/readyz`);
      assert.deepEqual([answer.status, answer.headers.get('x-error-code')], [503, 'clock_wrong']);
      assert.equal((await fetch(`${server.url}/readyz`)).status, 200);

      const client = clientOf(ahead.url, token);
      const id = await report(client, 2);
      await client.lookUp('cd'.repeat(32)).catch(() => undefined);
      const { report: created } = await client.fetchReport('ply', id);
      assert.ok(Math.abs(Date.parse(created.reportedAt) - Date.now()) < DAY_MS);
      const [row] = await database.run(
        `select quota_window = to_char(now() at time zone 'UTC', 'YYYY-MM-DD') as is_today,
          (select count(*)::int from report where status = 'open' and expires_at < now() + interval '91 days') as open,
          (select count(*)::int from event) as events
        from account where name = 'alice'`,
      );
      assert.deepEqual({ ...row }, { is_today: true, open: 2, events: 2 });
      await ahead.end();
      await server.end();
    } finally {
      await installation.close();
      await database.drop();
    }
  });
});

describe('a server on SQLite', { skip: whyNoFakeTime }, () => {
  it(
    'lets nothing expire after a jump of the clock until an operator confirms it',
    onlyOnSqlite('on PostgreSQL the server uses the clock of the database'),
    async () => {
      const installation = new TestInstallation();
      const states = async () =>
        (await installation.read('select status from report')).map(({ status }) => status);
      try {
        const { server } = await fill(installation, {});
        await until(
          async () =>
            (await installation.read('select clock_at from installation'))[0]?.['clock_at'] !==
            null,
          'the clock is recorded',
        );
        await server.end();
        const ahead = await serve(installation, YEAR_AHEAD);
        await until(
          () => /housekeeping is paused/.test(ahead.output()),
          'the server logs the clock error',
        );
        assert.match(ahead.output(), /36[56]\.\d days ahead.*rapsheet clock confirm/);
        assert.equal((await fetch(`${ahead.url}/readyz`)).status, 200);
        const examined = await installation.run(['doctor', '--quick'], { settings: YEAR_AHEAD });
        assert.match(examined.stdout, /WRONG {2}clock\n.*rapsheet clock confirm/);
        assert.deepEqual(await states(), ['open']);

        const confirmed = await installation.run(['clock', 'confirm'], { settings: YEAR_AHEAD });
        assert.match(confirmed.stdout, /Housekeeping resumes/);
        await until(async () => (await states()).includes('expired'), 'the report is expired');
        await until(
          () => /the clock is right again/.test(ahead.output()),
          'the server logs that the clock is right',
        );
        await ahead.end();
      } finally {
        await installation.close();
      }
    },
  );
});
