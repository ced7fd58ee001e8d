import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { after, describe, it } from 'node:test';
import { readConfig } from '../../../src/config.ts';
import { queueReanalyses } from '../../../src/operations/samples/reanalyse.ts';
import { sha256Of } from '../../builders.ts';
import { openRig, ownRig } from '../http-rig.ts';

const SECRET_KEY = 'ab'.repeat(32);
const { settings } = readConfig({
  RAPSHEET_DATABASE_URL: 'postgres://rapsheet:hunter2@db.example:5432/rapsheet?password=hunter3',
  RAPSHEET_SECRET_KEY: SECRET_KEY,
  RAPSHEET_LOG_LEVEL: 'warn',
});
const isolation = {
  tier: 'limits',
  means: ['setpriv', 'permission model'],
  lacks: ['bubblewrap is missing'],
} as const;
const workers = { capacity: 3, running: 2, busy: 1, restarts: 4, isolation, ruleProblems: [] };
const rig = await openRig({ settings, workers });
after(() => rig.close());
const token = rig.admin;

const PATHS = [
  '/admin/queue',
  '/admin/samples/failed',
  '/admin/reanalysis',
  '/admin/workers',
  '/admin/settings',
];

describe('the state of the service', () => {
  it('is shown to administrators only', async () => {
    const other = await rig.researcher();
    for (const path of PATHS) {
      assert.equal((await rig.ask('GET', path)).status, 401, path);
      assert.equal((await rig.ask('GET', path, { token: other.token })).status, 403, path);
      assert.equal((await rig.ask('GET', path, { token })).status, 200, path);
    }
    const again = `/admin/samples/${sha256Of('any')}/analyse`;
    for (const [method, path] of [
      ['POST', again],
      ['POST', '/admin/reanalysis'],
      ['DELETE', '/admin/reanalysis'],
    ] as const)
      assert.equal((await rig.ask(method, path, { token: other.token })).status, 403, path);
  });

  it('has the settings in force, and never a secret', async () => {
    const answer = await rig.ask('GET', '/admin/settings', { token });
    assert.doesNotMatch(answer.text, /hunter2|hunter3|abab/);
    const shown = new Map(
      (answer.json['settings'] as { name: string }[]).map((one) => [one.name, one]),
    );
    assert.partialDeepStrictEqual(shown.get('RAPSHEET_LOG_LEVEL'), {
      value: 'warn',
      isSet: true,
      source: 'environment',
    });
    assert.partialDeepStrictEqual(shown.get('RAPSHEET_SECRET_KEY'), {
      value: null,
      isSecret: true,
      isSet: true,
    });
    assert.partialDeepStrictEqual(shown.get('RAPSHEET_DATABASE_URL'), {
      value: 'postgres://rapsheet@db.example:5432/rapsheet',
    });
    assert.partialDeepStrictEqual(shown.get('RAPSHEET_PORT'), {
      value: '8080',
      isSet: false,
      source: 'default',
    });
  });

  it('has the workers of this node with their isolation', async () => {
    const { json } = await rig.ask('GET', '/admin/workers', { token });
    const { ruleProblems, ...rest } = workers;
    assert.deepEqual(json, {
      node: hostname(),
      workers: { ...rest, isolation: { level: 'incomplete', ...isolation }, ruleProblems },
    });
  });

  it('has no workers where this node analyses no samples', async (test) => {
    const idle = await ownRig(test);
    const { json } = await idle.ask('GET', '/admin/workers', { token: idle.admin });
    assert.equal(json['workers'], null);
  });
});

describe('the queue of analyses', () => {
  it('counts the samples in each state, and has the age of the oldest', async (test) => {
    const own = await ownRig(test);
    const read = async () =>
      (await own.ask('GET', '/admin/queue', { token: own.admin })).json as object;
    assert.deepEqual(await read(), { waiting: 0, running: 0, failed: 0, oldestUploadedAt: null });
    const first = await own.uploaded('first');
    await own.uploaded('second');
    await own.fail(await own.uploaded('third'));
    await own.deps.store.samples.start(first);
    assert.partialDeepStrictEqual(await read(), {
      waiting: 1,
      running: 1,
      failed: 1,
      oldestUploadedAt: '2026-08-26T10:00:00Z',
    });
  });

  it('lists failed samples newest first, in pages', async (test) => {
    const own = await ownRig(test);
    const hashes: string[] = [];
    for (const text of ['one', 'two', 'three']) {
      const sha256 = await own.uploaded(text, { fileName: `${text}.exe` });
      await own.deps.store.samples.fail(sha256, `${text} failed`, own.clock.now(), 3);
      hashes.unshift(sha256);
      own.clock.advance(1000);
    }
    const read = async (query: string) =>
      (await own.ask('GET', `/admin/samples/failed?${query}`, { token: own.admin })).json as {
        samples: { sha256Hash: string }[];
        nextCursor: string | null;
        hasMore: boolean;
      };
    const first = await read('limit=2');
    assert.partialDeepStrictEqual(first.samples[0], {
      sha256Hash: hashes[0],
      fileName: 'three.exe',
      reason: 'three failed',
      attempts: 3,
      sizeInBytes: 5,
    });
    assert.equal(first.hasMore, true);
    const second = await read(`limit=2&cursor=${encodeURIComponent(first.nextCursor ?? '')}`);
    assert.equal(second.nextCursor, null);
    assert.deepEqual(
      [...first.samples, ...second.samples].map(({ sha256Hash }) => sha256Hash),
      hashes,
    );
    const wrong = await own.ask('GET', '/admin/samples/failed?cursor=x', { token: own.admin });
    assert.equal(wrong.json['error'] === undefined, false);
    assert.equal(wrong.status, 400);
  });
});

describe('analysing a sample again', () => {
  const again = (sha256: string) => rig.ask('POST', `/admin/samples/${sha256}/analyse`, { token });

  it('queues it, wakes the workers and writes the audit log', async () => {
    const sha256 = await rig.uploaded('to be repeated');
    const [job] = await rig.leaseJobs();
    await rig.fail(sha256);
    let woken = 0;
    rig.deps.analysisEvents.onSubmitted(() => {
      woken += 1;
    });
    const answer = await again(sha256);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(woken, 1);
    const { json } = await rig.ask('GET', `/private/sample/${sha256}/status`, { token });
    assert.deepEqual(json, { status: 'queued' });
    const [entry] = await rig.audit();
    assert.partialDeepStrictEqual(entry, { action: 'sample.analyse', subject: sha256 });
    // The lease of the attempt that failed does not complete the new job.
    assert.equal(await rig.completeJob(job), false);
    assert.equal(await rig.countJobs(), 1);
  });

  it('serves the report of one that is done until the new one is stored', async () => {
    const sha256 = await rig.uploaded('was analysed before');
    await rig.finish(sha256, { fileName: 'before.exe' });
    const read = async () => {
      const { json } = await rig.ask('GET', `/private/sample/${sha256}`, { token });
      return json['fileName'];
    };
    assert.equal((await again(sha256)).status, 200);
    const repeated = await again(sha256);
    assert.equal(repeated.headers['x-error-code'], 'analysis_unfinished');
    const { json } = await rig.ask('GET', `/private/sample/${sha256}/status`, { token });
    assert.deepEqual(json, { status: 'done' });
    assert.equal(await read(), 'before.exe');
    await rig.finish(sha256, { fileName: 'after.exe' });
    assert.equal(await read(), 'after.exe');
  });

  it('keeps the report if that fails, and lists the failure', async () => {
    const sha256 = await rig.uploaded('fails the second time');
    await rig.finish(sha256);
    await again(sha256);
    await rig.fail(sha256);
    assert.equal((await rig.ask('GET', `/private/sample/${sha256}`, { token })).status, 200);
    const { json } = await rig.ask('GET', '/admin/samples/failed', { token });
    const hashes = (json['samples'] as { sha256Hash: string }[]).map((one) => one.sha256Hash);
    assert.ok(hashes.includes(sha256));
  });

  it('refuses a file that is not stored, even if it has a report', async () => {
    const sha256 = await rig.uploaded('lost');
    await rig.finish(sha256);
    await rig.deps.files.remove(sha256);
    const answer = await again(sha256);
    assert.equal(answer.status, 404);
    assert.equal(answer.headers['x-error-code'], 'unknown_file');
  });

  it('refuses one that is unknown or queued', async () => {
    const unknown = await again(sha256Of('nowhere'));
    assert.equal(unknown.status, 404);
    assert.equal(unknown.headers['x-error-code'], 'unknown_file');
    const queued = await again(await rig.uploaded('is queued'));
    assert.equal(queued.status, 409);
    assert.equal(queued.headers['x-error-code'], 'analysis_unfinished');
  });
});

describe('analysing all files again', () => {
  it('queues them in the background, shows the progress and can be stopped', async (test) => {
    const own = await ownRig(test);
    const call = async (method: 'GET' | 'POST' | 'DELETE', body?: object) =>
      await own.ask(method, '/admin/reanalysis', { token: own.admin, ...(body && { body }) });
    assert.partialDeepStrictEqual((await call('GET')).json, { state: null, waiting: 0 });
    const sha256 = await own.uploaded('analysed before');
    await own.finish(sha256);
    const [job] = await own.leaseJobs();
    await own.completeJob(job);
    own.clock.advance(60_000);
    const wrong = await call('POST', { before: 'yesterday' });
    assert.equal(wrong.status, 400);
    // A time in the future would analyse files again that were analysed again.
    const started = await call('POST', { before: '2999-01-01T00:00:00Z' });
    assert.equal(started.status, 200, started.text);
    assert.partialDeepStrictEqual(started.json, {
      state: 'running',
      before: '2026-08-26T10:01:00Z',
      startedAt: '2026-08-26T10:01:00Z',
      endedAt: null,
      queued: 0,
      remaining: 1,
    });
    const twice = await call('POST');
    assert.equal(twice.status, 409);
    assert.equal(twice.headers['x-error-code'], 'reanalysis_running');
    let woken = 0;
    own.deps.analysisEvents.onSubmitted(() => {
      woken += 1;
    });
    assert.equal(await queueReanalyses(own.deps, own.clock.now()), 1);
    assert.equal(woken, 1);
    assert.equal(await own.countJobs(), 1);
    const stopped = await call('DELETE');
    assert.partialDeepStrictEqual(stopped.json, { state: 'stopped', queued: 1, waiting: 1 });
    await own.finish(sha256);
    assert.partialDeepStrictEqual((await call('GET')).json, { waiting: 0, remaining: 0 });
    const actions = (await own.audit()).map(({ action }) => action);
    assert.deepEqual(actions.slice(0, 2), ['reanalysis.stop', 'reanalysis.start']);
  });
});

describe('the audit log', () => {
  it('is filtered by actor, action and subject', async () => {
    const { name } = await rig.researcher();
    await rig.ask('PATCH', `/admin/accounts/${name}`, { token, body: { disabled: true } });
    const read = async (query: string) => {
      const { json } = await rig.ask('GET', `/admin/audit?${query}`, { token });
      return (json['entries'] as { action: string }[]).map(({ action }) => action);
    };
    assert.deepEqual(await read(`subject=${name}`), ['account.change', 'account.add']);
    assert.deepEqual(await read(`subject=${name}&action=account.add`), ['account.add']);
    assert.deepEqual(await read(`subject=${name}&actor=test`), ['account.add']);
    assert.deepEqual(await read(`subject=${name}&action=token`), []);
  });
});
