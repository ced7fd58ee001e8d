import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative as relativePath } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isolationChains, type WorkerCommand } from '../../src/analysis/worker/isolation/chains.ts';
import { openPool } from '../../src/analysis/worker/pool.ts';
import { startFirst } from '../../src/analysis/worker/start-first.ts';
import { WorkerProcess } from '../../src/analysis/worker/worker-process.ts';
import { Problem } from '../../src/domain/problem.ts';
import type { Analyser, AnalysisOutcome } from '../../src/ports/analyser.ts';
import { writeStripped } from './stripped-program.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const PATH = process.env['PATH'] ?? '';
/** A unique path, to tell our workers from those of a concurrent run of this test. */
const OWN_FOLDER = mkdtempSync(join(tmpdir(), 'rapsheet-hostile-'));
const PROGRAM = writeStripped(`${FOLDER}hostile-worker.ts`, OWN_FOLDER);
after(() => rmSync(OWN_FOLDER, { recursive: true }));

const PATIENT = { elapsedMs: 180_000 };
const NOW = new Date('2026-08-26T10:00:00Z');

const hasPrlimit = isolationChains({ program: PROGRAM, path: PATH, isRoot: false }).some(
  ({ command }) => command.some((word) => word.endsWith('/prlimit')),
);

const hasProc = existsSync('/proc/self/stat');

async function* pieces(...texts: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

function analyse(analyser: Analyser, text: string | Buffer): Promise<AnalysisOutcome> {
  const sizeBytes = Buffer.byteLength(text);
  return analyser.analyse({ fileName: 'sample', sizeBytes, bytes: pieces(text) }, NOW);
}

function failureOf(outcome: AnalysisOutcome): string {
  assert.equal(outcome.kind, 'failed');
  return outcome.kind === 'failed' ? `${outcome.failure}: ${outcome.message}` : '';
}

function reportOf(outcome: AnalysisOutcome) {
  assert.equal(outcome.kind, 'done', JSON.stringify(outcome));
  assert.ok(outcome.kind === 'done');
  return outcome.analysis;
}

function noteOf(outcome: AnalysisOutcome, tag: string): string {
  return reportOf(outcome).details.evidence.find((one) => one.tag === tag)?.note ?? '';
}

/** Whether other users may traverse every parent folder. */
function othersMayRead(path: string): boolean {
  const folder = dirname(path);
  const isOpen = (statSync(folder).mode & 0o001) !== 0;
  return isOpen && (folder === dirname(folder) || othersMayRead(folder));
}

const POOL_OPTIONS = {
  rules: [],
  path: PATH,
  program: PROGRAM,
  readable: [OWN_FOLDER],
  limits: PATIENT,
};

/** Counts processes of our hostile worker, including orphans. */
function workersAlive(): number {
  const list = execFileSync('ps', ['-eo', 'args', '-ww'], { encoding: 'utf8' });
  const isWorker = (line: string) => line.includes('--permission') && line.includes(PROGRAM);
  return list.split('\n').filter(isWorker).length;
}

describe('the pool of workers', () => {
  let pool: Analyser;

  before(async () => {
    pool = await openPool({ ...POOL_OPTIONS, workers: 2 });
  });

  after(async () => {
    await pool.close();
    assert.equal(workersAlive(), 0, 'no process is left');
  });

  it('completes an analysis', async () => {
    const { report } = reportOf(await analyse(pool, 'hello, world\n'));
    assert.equal(report.md5, '22c3683b094136c3398391ae71b20f04');
    assert.equal(report.sizeBytes, 13);
    assert.deepEqual(report.date, NOW);
    assert.match(report.duration, /^00:\d\d:\d\d\.\d{7}$/);
    assert.deepEqual(report.tags, [{ heat: 1, name: 'TEXT' }]);
  });

  it('describes its isolation', () => {
    assert.ok(pool.isolation.means.includes('permission model of Node'));
  });

  for (const [deed, failure] of [
    ['exit', /^crashed: it ended with 3/],
    ['flood', /^bad-report: a response of 2147483647 bytes is too long/],
    ['gibberish', /^bad-report: /],
    ['lie', /^bad-report: analysis\.report/],
    ['babble', /^bad-report: the worker sent an unexpected response/],
    ['say more', /^crashed: a lie/],
  ] as const) {
    it(`fails only the sample that makes its worker ${deed}`, async () => {
      const { restarts } = pool.counts();
      const [bad, good] = await Promise.all([
        analyse(pool, `MISCHIEF:${deed}`),
        analyse(pool, `beside ${deed}`),
      ]);
      assert.match(failureOf(bad), failure);
      assert.equal(reportOf(good).report.fileName, 'sample');
      assert.equal(reportOf(await analyse(pool, `after ${deed}`)).report.fileName, 'sample');
      assert.ok(pool.counts().restarts > restarts);
      assert.equal(pool.counts().busy, 0);
    });
  }

  it('completes an analysis if a parser fails, and tags it', async () => {
    const outcome = await analyse(pool, 'MISCHIEF:throw');
    assert.ok(reportOf(outcome).report.tags.some(({ name }) => name === 'PARSER_FAILED'));
    assert.equal(noteOf(outcome, 'PARSER_FAILED'), 'Error: a defect');
  });

  it('limits the memory of a worker and replaces it', {
    skip: hasPrlimit ? false : 'prlimit is not installed',
  }, async () => {
    const outcome = await analyse(pool, 'MISCHIEF:eat');
    if (outcome.kind === 'done') assert.match(noteOf(outcome, 'LIMIT_EXCEEDED'), /^RangeError/);
    else assert.match(failureOf(outcome), /^crashed: /);
    assert.ok(reportOf(await analyse(pool, 'after a hungry one')));
  });

  it('rejects a sample with a wrong length and continues', async () => {
    for (const [sizeBytes, text] of [
      [10, 'short'],
      [3, 'too long'],
    ] as const) {
      const sample = { fileName: 'a', sizeBytes, bytes: pieces(text) };
      assert.match(failureOf(await pool.analyse(sample, NOW)), /^unreadable: .* bytes/);
    }
    assert.ok(reportOf(await analyse(pool, 'next')));
  });

  it('rejects a sample whose bytes cannot be read completely', async () => {
    const bytes = (async function* () {
      yield Buffer.from('half');
      throw new Error('the disk failed');
    })();
    const outcome = await pool.analyse({ fileName: 'a', sizeBytes: 8, bytes }, NOW);
    assert.equal(failureOf(outcome), 'unreadable: the disk failed');
  });

  it('keeps the digests that it was given', async () => {
    const digests = {
      md5: '0'.repeat(32),
      sha1: '0'.repeat(40),
      sha256: '0'.repeat(64),
      sha512: '0'.repeat(128),
      blake3: '0'.repeat(64),
    };
    const sample = { fileName: 'a', sizeBytes: 1, digests, bytes: pieces('a') };
    // The analysis has the digests of the request.
    assert.equal(reportOf(await pool.analyse(sample, NOW)).report.sha256, digests.sha256);
  });
});

describe('a pool in which a sample hangs', () => {
  it('fails only that sample', async (test) => {
    const limits = { ...PATIENT, ...(hasProc ? { idleMs: 3000 } : { elapsedMs: 10_000 }) };
    const pool = await openPool({ ...POOL_OPTIONS, workers: 2, limits });
    test.after(() => pool.close());
    const [bad, good] = await Promise.all([
      analyse(pool, 'MISCHIEF:hang'),
      analyse(pool, 'beside'),
    ]);
    const reason = hasProc ? 'it did nothing for 3 seconds' : 'it took longer than 10 seconds';
    assert.equal(failureOf(bad), `timeout: ${reason}`);
    assert.ok(reportOf(good));
    assert.ok(reportOf(await analyse(pool, 'after')));
  });

  it('counts processor time if the sample does not wait', {
    skip: hasProc ? false : 'there is no /proc to read the times from',
  }, async (test) => {
    const limits = { ...PATIENT, processorMs: 1000, idleMs: 60_000 };
    const pool = await openPool({ ...POOL_OPTIONS, workers: 1, limits });
    test.after(() => pool.close());
    const reason = 'timeout: it took longer than 1 seconds of processor time';
    assert.equal(failureOf(await analyse(pool, 'MISCHIEF:spin')), reason);
  });
});

describe('a pool that cannot start workers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-worker-'));
  const program = join(folder, 'worker.mjs');
  const install = () => writeFileSync(program, `import ${JSON.stringify(PROGRAM)};`);
  let pool: Analyser;

  before(async () => {
    chmodSync(folder, 0o755);
    install();
    const readable = [OWN_FOLDER, folder];
    pool = await openPool({ ...POOL_OPTIONS, workers: 1, program, readable });
  });

  after(async () => {
    await pool.close();
    rmSync(folder, { recursive: true });
  });

  it('does not blame a sample, rejects waiting callers, and recovers', async () => {
    rmSync(program);
    const outcomes = await Promise.all(
      ['MISCHIEF:exit', 'waits', 'waits too'].map((text) => analyse(pool, text)),
    );
    const [crashed, ...others] = outcomes.map(failureOf);
    assert.match(crashed ?? '', /^crashed: it ended with 3/);
    for (const other of others) assert.match(other, /^unavailable: no worker could be started/);
    install();
    assert.ok(reportOf(await analyse(pool, 'the next')));
  });

  it('does not blame a sample if its file cannot be read', async () => {
    const bytes = (async function* () {
      yield Buffer.from('half');
      throw new Problem('unavailable');
    })();
    const outcome = await pool.analyse({ fileName: 'a', sizeBytes: 8, bytes }, NOW);
    assert.match(failureOf(outcome), /^unavailable: /);
  });
});

describe('a pool whose workers reached their job limit', () => {
  it('replaces them and kills those that do not exit', async () => {
    const pool = await openPool({ ...POOL_OPTIONS, workers: 1, samplesPerWorker: 1 });
    assert.ok(reportOf(await analyse(pool, 'MISCHIEF:stay')));
    assert.ok(reportOf(await analyse(pool, 'by another')));
    await pool.close();
    assert.equal(workersAlive(), 0);
  });
});

describe('a pool that is aborted while it opens', () => {
  it('is not opened', async () => {
    const stopping = new AbortController();
    const opening = openPool({ ...POOL_OPTIONS, workers: 1, signal: stopping.signal });
    stopping.abort();
    await assert.rejects(opening, { name: 'AbortError' });
    assert.equal(workersAlive(), 0);
  });
});

describe('a pool whose workers are started at once', () => {
  it('uses the process that was started before, and ends all of them', async () => {
    const first = startFirst(POOL_OPTIONS);
    assert.ok(first !== undefined);
    assert.equal(first.child.exitCode, null);
    const pool = await openPool({ ...POOL_OPTIONS, workers: 2, startedAtOnce: 2, first });
    assert.ok(workersAlive() >= 1);
    const both = await Promise.all([analyse(pool, 'one'), analyse(pool, 'other')]);
    for (const outcome of both) assert.ok(reportOf(outcome));
    await pool.close();
    assert.equal(workersAlive(), 0);
    assert.ok(first.child.exitCode !== null || first.child.signalCode !== null);
  });

  it('starts another process if that one has ended', async () => {
    const first = startFirst(POOL_OPTIONS);
    assert.ok(first !== undefined);
    // Not by a signal: bubblewrap killed during its start may leave a child that waits.
    first.end();
    await once(first.child, 'exit');
    const pool = await openPool({ ...POOL_OPTIONS, workers: 1, first });
    assert.ok(reportOf(await analyse(pool, 'one')));
    await pool.close();
    assert.equal(workersAlive(), 0);
  });
});

describe('a pool that is closed', () => {
  it('reports running samples as interrupted and leaves no process', async () => {
    const pool = await openPool({ ...POOL_OPTIONS, workers: 1 });
    const under = [analyse(pool, 'MISCHIEF:hang'), analyse(pool, 'waits')];
    await pool.close();
    for (const outcome of await Promise.all(under))
      assert.match(failureOf(outcome), /^interrupted: /);
    assert.equal(workersAlive(), 0);
  });
});

describe('isolation', () => {
  let server: Server;
  let port: number;
  let calls = 0;

  before(async () => {
    server = createServer(() => {
      calls += 1;
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });

  after(() => server.close());

  /** The results of a worker's attempts, started through that chain. */
  async function tried(chain: WorkerCommand): Promise<Readonly<Record<string, unknown>>> {
    const worker = new WorkerProcess(chain);
    try {
      await worker.request({ kind: 'open', rules: [] }, pieces(), PATIENT);
      const text = `MISCHIEF:deny ${port} `;
      const order = {
        kind: 'analyse',
        fileName: 'a',
        sizeBytes: text.length,
        at: NOW.toISOString(),
      } as const;
      const answer = await worker.request(order, pieces(text), PATIENT);
      assert.equal(answer.kind, 'done');
      assert.ok(answer.kind === 'done');
      return {
        ...answer.analysis.report.configs['MISCHIEF'],
        socket: answer.analysis.details.facts['network']?.['socket'],
      };
    } finally {
      worker.kill();
      await worker.exited;
    }
  }

  const chainOptions = {
    program: PROGRAM,
    readable: [OWN_FOLDER],
    isRoot: process.getuid?.() === 0,
  };
  // Under a private folder of root, a worker cannot run as another user.
  const isClosed = chainOptions.isRoot && ![PROGRAM, process.execPath].every(othersMayRead);
  const all = isolationChains({ ...chainOptions, path: PATH }).filter(
    ({ command }) => !isClosed || !command.includes('--reuid'),
  );
  const [strongest] = all;
  const weakest = all.at(-1);
  const hasBwrap = strongest?.command.some((word) => word.endsWith('/bwrap')) === true;

  // One of those that differ only in the namespaces of bubblewrap.
  for (const chain of new Map(all.map((one) => [one.means.join(), one])).values()) {
    it(`denies files, network and processes through ${chain.means.join(', ')}`, async () => {
      calls = 0;
      assert.deepEqual(await tried(chain), {
        read: 'denied: ERR_ACCESS_DENIED',
        write: 'denied: ERR_ACCESS_DENIED',
        start: 'denied: ERR_ACCESS_DENIED',
        root: 'denied: ERR_ACCESS_DENIED',
        socket: 'denied: ERR_ACCESS_DENIED',
      });
      assert.equal(calls, 0);
    });
  }

  const unpermitted = (words: readonly string[]) =>
    words.filter((word) => !/^--(permission|allow-fs-read)/.test(word));

  it('holds by bubblewrap alone, without the permission model and the filter', {
    skip: hasBwrap ? false : 'bubblewrap is not installed',
  }, async () => {
    calls = 0;
    const unfiltered = all.find(({ filter }) => filter === undefined);
    const command = unpermitted(unfiltered?.command ?? []);
    assert.ok(command.some((word) => word.endsWith('/bwrap')));
    const found = await tried({ command });
    for (const [deed, outcome] of Object.entries(found))
      assert.match(
        String(outcome),
        /^denied: (ENOENT|EROFS|EACCES|ECONNREFUSED|ENETUNREACH)$/,
        deed,
      );
    assert.equal(found['root'], 'denied: EROFS', 'not even the root folder');
    assert.equal(calls, 0);
    assert.equal(existsSync('/tmp/rapsheet-mischief'), false);
  });

  it('refuses by the filter what the permission model would allow', {
    skip: strongest?.filter === undefined ? 'there is no filter' : false,
  }, async () => {
    const { command = [], filter } = strongest ?? {};
    assert.deepEqual(await tried({ command: unpermitted(command), filter }), {
      read: 'denied: ENOENT',
      write: 'denied: EPERM',
      start: 'denied: EPERM',
      root: 'denied: EPERM',
      socket: 'denied: EPERM',
    });
  });

  it('gives a worker no inherited descriptor', {
    skip: process.platform === 'linux' ? false : 'there is no /proc to look into',
  }, () => {
    const left = openSync('/etc/passwd', 'r');
    const stdio: ('ignore' | 'pipe' | number)[] = ['ignore', 'pipe', 'pipe'];
    while (stdio.length < 42) stdio.push('ignore');
    stdio.push(left, 'ignore', left);
    const chosen = [strongest, weakest].map((chain) =>
      isolationChains({ ...chainOptions, path: PATH }).findIndex(
        ({ command }) => command.join() === chain?.command.join(),
      ),
    );
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [`${FOLDER}inheriting-parent.ts`, ...chosen.map(String)],
      { stdio, encoding: 'utf8' },
    );
    closeSync(left);
    const found = JSON.parse(stdout || `"${stderr}"`) as Record<string, string>[];
    assert.equal(found.length, 2, stdout);
    for (const descriptors of found) {
      assert.ok('0' in descriptors && '3' in descriptors, stdout);
      // Pipes, /dev/null and those of Node's event loop: libuv keeps one of "/" in reserve.
      for (const [descriptor, target] of Object.entries(descriptors))
        assert.match(target, /^(?:socket:|pipe:|anon_inode:|\/dev\/null$|\/$)/, descriptor);
      assert.ok(!('42' in descriptors) && !('44' in descriptors), stdout);
    }
  });

  it('tries the filter, no namespaces and a limit of threads first, and less after that', () => {
    const flagsOf = (kernelRelease: string) =>
      isolationChains({ ...chainOptions, path: PATH, isRoot: true, kernelRelease })
        .filter(({ command }) => command.includes('--reuid') && command.includes('--unshare-all'))
        .map(({ command, filter }) => [
          command.includes('--seccomp') && filter !== undefined,
          command.includes('--disable-userns'),
          command.find((word) => word.startsWith('--nproc')),
        ]);
    if (!hasBwrap || strongest?.filter === undefined || !hasPrlimit) return;
    assert.deepEqual(flagsOf('5.14.0-amd64'), [
      [true, true, '--nproc=64'],
      [true, false, '--nproc=64'],
      [true, false, '--nproc=4096'],
      [false, true, '--nproc=4096'],
      [false, false, '--nproc=4096'],
    ]);
    // Older kernels count all processes of the user.
    for (const [, , processes] of flagsOf('5.13.19')) assert.equal(processes, '--nproc=4096');
  });

  it('names a missing filter', () => {
    for (const { command, filter, lacks } of all)
      if (command.includes('--unshare-all'))
        assert.equal(
          lacks.some((lack) => lack.startsWith('seccomp')),
          filter === undefined,
        );
  });

  it('works with Node alone and lists what is missing', () => {
    const [only, ...others] = isolationChains({ ...chainOptions, path: '/nowhere' });
    assert.deepEqual(others, []);
    assert.equal(only?.command[0], process.execPath);
    assert.match(only?.lacks.join() ?? '', /bubblewrap.*setpriv.*prlimit/);
    assert.equal(weakest?.lacks.length, 3);
  });

  it('finds programs on the path, but not in relative folders', () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'rapsheet-path-'));
    writeFileSync(join(elsewhere, 'prlimit'), '', { mode: 0o755 });
    const [chain] = isolationChains({ ...chainOptions, path: `${elsewhere}:/nowhere` });
    assert.equal(chain?.command[0], join(elsewhere, 'prlimit'));
    const relative = isolationChains({
      ...chainOptions,
      path: `:.:${relativePath(process.cwd(), elsewhere)}`,
    });
    assert.equal(relative.length, 1);
    rmSync(elsewhere, { recursive: true });
  });

  it('reports another user only if that is possible', () => {
    const meansOf = (isRoot: boolean) =>
      isolationChains({ ...chainOptions, path: PATH, isRoot }).flatMap(({ means }) => means);
    assert.doesNotMatch(meansOf(false).join(), /another user/);
  });

  it('gives a worker an empty environment', () => {
    for (const { command } of all) assert.ok(!command.some((word) => word.includes('RAPSHEET')));
  });
});
