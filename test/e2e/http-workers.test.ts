import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { RapsheetClient } from '../../src/client/client.ts';
import { newTokenText } from '../../src/operations/accounts/issue-token.ts';
import { freePort } from '../free-port.ts';
import { TestInstallation, waitForOutput } from '../installation.ts';
import { newStoreDatabase, type TestDatabase } from '../postgres.ts';
import { eventually } from '../until.ts';

/**
 * On other systems the primary process distributes the connections, and there is no `/proc/net/tcp`
 * that lists the listeners.
 */
const skip = process.platform === 'linux' ? false : 'needs listeners that share a port';

describe('two HTTP worker processes on one port', { skip }, () => {
  let database: TestDatabase;
  let installation: TestInstallation;
  let primary: ChildProcess;
  let url = '';
  let metricsPort = 0;
  let token = '';
  before(async () => {
    database = await newStoreDatabase();
    installation = new TestInstallation();
    metricsPort = await freePort();
    const adminToken = newTokenText({ randomBytes });
    const child = installation.start(['serve'], {
      RAPSHEET_DATABASE_URL: database.url,
      RAPSHEET_HTTP_WORKERS: '2',
      // The workers listen some time after the primary process has chosen a free port.
      RAPSHEET_PORT: String(await freePort()),
      RAPSHEET_METRICS_PORT: String(metricsPort),
      RAPSHEET_ANALYSIS_WORKERS: '0',
      RAPSHEET_ADMIN_TOKEN: adminToken,
    });
    child.stdout.resume();
    primary = child;
    url = String((await waitForOutput(child, /listens on (http:\S+)/))[1]);
    const admin = new RapsheetClient({ url, token: adminToken });
    await admin.addService({ slug: 'ply' });
    ({ token } = await admin.addAccount({ name: 'alice', roles: ['researcher'] }));
  });
  after(async () => {
    await installation.close();
    await database.drop();
  });

  const processes = () =>
    execFileSync('ps', ['-o', 'pid=', '--ppid', String(primary.pid)], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean)
      .map(Number);
  /** Uses a new connection, so that any of the processes can accept it. */
  const getStatus = async (path: string) => {
    const headers = { authorization: token };
    const call = request(`${url}${path}`, { agent: false, headers }).end();
    const [answer] = await once(call, 'response');
    await text(answer);
    return answer.statusCode as number;
  };
  const getLive = () => getStatus('/livez');
  const countRequests = async () => {
    const numbers = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const count = /^rapsheet_http_request_seconds_count\{.*"\/livez".*\} (\d+)$/m.exec(numbers);
    return Number(count?.[1] ?? 0);
  };
  const getLiveMany = (calls: number) => Promise.all(Array.from({ length: calls }, getLive));

  it('counts the requests of both processes in one metric', async () => {
    const before = await countRequests();
    assert.deepEqual(new Set(await getLiveMany(40)), new Set([200]));
    // A process that does not respond in time is counted with its previous numbers.
    const after = await eventually(countRequests, (count) => count - before === 40);
    assert.equal(after - before, 40);
  });

  it('sums metrics of a process, and reports shared metrics once', async () => {
    for (let round = 0; round < 8; round += 1)
      assert.equal(await getStatus('/private/sample/x'), 400);
    const readValues = async () => {
      const numbers = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      return [
        'rapsheet_postgres_connections_limit{pool="jobs"}',
        'rapsheet_queue_jobs{kind="analyse"}',
        'rapsheet_quota_units_total{outcome="served"}',
      ].map((name) =>
        Number(
          numbers
            .split('\n')
            .find((line) => line.startsWith(`${name} `))
            ?.split(' ')[1],
        ),
      );
    };
    // The limits of the primary process and its two workers are summed.
    const expected = [9, 0, 8];
    const isExpected = (values: readonly number[]) => values.join() === expected.join();
    assert.deepEqual(await eventually(readValues, isExpected), expected);
  });

  it('serves with one process, and replaces one that was killed', async () => {
    const [one = 0, other = 0] = processes();
    let before = await countRequests();
    for (const victim of [one, other]) {
      const calls = getLiveMany(20).catch(() => []);
      process.kill(victim, 'SIGKILL');
      await calls;
      // The kernel resets connections in its accept queue; later ones go to the other process.
      const isGone = (pids: readonly number[]) => !pids.includes(victim);
      assert.ok(isGone(await eventually(async () => processes(), isGone)));
      assert.deepEqual(new Set(await getLiveMany(20)), new Set([200]));
      const minimum = before + 20;
      before = await eventually(countRequests, (count) => count >= minimum);
      assert.ok(before >= minimum, 'the counts of a killed process are kept');
      const isReplaced = (pids: readonly number[]) => pids.length === 2 && !pids.includes(victim);
      assert.ok(isReplaced(await eventually(async () => processes(), isReplaced)));
      // The new process listens some time after its start; until then the other serves all.
      await eventually(
        () => listeners(url),
        (count) => count === 2,
      );
    }
  });

  it('drains the requests of all processes on SIGTERM, then exits with 0', async () => {
    const body = JSON.stringify({ c2Address: 'evil.example:1', file256Hash: '0'.repeat(64) });
    const calls = await Promise.all(Array.from({ length: 12 }, () => begin(url, token, body)));
    const pids = processes();
    const exited = once(primary, 'exit');
    primary.kill('SIGTERM');
    for (const { socket } of calls) socket.write(body);
    for (const { answer } of calls) assert.match(await answer, /^HTTP\/1\.1 201 /m);
    assert.deepEqual(await exited, [0, null]);
    for (const pid of pids) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
    const [row] = await database.run('select count(*)::int as count from report');
    assert.equal(row?.['count'], 12);
  });
});

/** Starts a create and returns when the server waits for its body. */
async function begin(url: string, token: string, body: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket
    .setEncoding('utf8')
    .write(
      `POST /feed/ply/api HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
  let received = String((await once(socket, 'data'))[0]).replace(/^HTTP\/1\.1 100 .*\r\n\r\n/, '');
  const answer = new Promise<string>((resolve) => {
    socket.on('data', (part) => {
      received += part;
    });
    socket.on('close', () => resolve(received));
  });
  return { socket, answer };
}

/** Counts the sockets that listen on the port of the URL. */
async function listeners(url: string): Promise<number> {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0');
  const LISTENING = '0A';
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n');
  return lines.filter((line) => {
    const [, local, , state] = line.trim().split(/\s+/);
    return local?.endsWith(`:${port}`) && state === LISTENING;
  }).length;
}
