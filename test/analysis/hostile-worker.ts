import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { connect } from 'node:net';
import { openEngine } from '../../src/analysis/engine.ts';
import type { Extractor } from '../../src/analysis/extractors/extractor.ts';
import { defineFormat } from '../../src/analysis/formats/format.ts';
import { formats } from '../../src/analysis/formats/index.ts';
import type { Subject } from '../../src/analysis/subject.ts';
import { encodeHeader } from '../../src/analysis/worker/frames.ts';
import { serveRequests } from '../../src/analysis/worker/worker-loop.ts';
import type { Fact } from '../../src/domain/samples/analysis.ts';

/**
 * A worker under the control of a sample: a file that starts with `MISCHIEF:` makes it perform the
 * named deed. The engine is the real one.
 */
const MARK = 'MISCHIEF:';
const ANSWERS = 3;
const READY = encodeHeader({ kind: 'ready', ruleProblems: [] } as object);
const FAILED = encodeHeader({ kind: 'failed', message: 'a lie', rssBytes: 1 } as object);

function requestedDeed(subject: Subject): string | undefined {
  const text = subject.bytes.toString('latin1', 0, 64);
  return text.startsWith(MARK) ? text.slice(MARK.length) : undefined;
}

function attempt(work: () => unknown): string {
  try {
    work();
    return 'done';
  } catch (cause) {
    return `denied: ${(cause as NodeJS.ErrnoException).code}`;
  }
}

function spawnShell(): void {
  const { error } = spawnSync('/bin/sh', ['-c', 'true']);
  if (error !== undefined) throw error;
}

function openSocket(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve('done'));
    socket.once('error', (cause: NodeJS.ErrnoException) => resolve(`denied: ${cause.code}`));
  });
}

/** The open descriptors and their targets, without that of the listing itself. */
function openDescriptors(): Record<string, string> {
  const all: Record<string, string> = {};
  for (const descriptor of readdirSync('/proc/self/fd')) {
    try {
      all[descriptor] = readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      // Already closed.
    }
  }
  return all;
}

const eaten: Buffer[] = [];

const deeds: Readonly<Record<string, () => void>> = {
  // Busy at first, then blocked: the processors are for the other tests.
  hang: () => {
    for (const end = performance.now() + 200; performance.now() < end; );
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
  spin: () => {
    for (;;);
  },
  eat: () => {
    for (;;) eaten.push(Buffer.alloc(64 * 1024 * 1024, 1));
  },
  exit: () => process.exit(3),
  throw: () => {
    throw new Error('a defect');
  },
  flood: () => writeSync(ANSWERS, Buffer.from([0xff, 0xff, 0xff, 0x7f])),
  gibberish: () => writeSync(ANSWERS, Buffer.from([2, 0, 0, 0, 0x7b, 0x7b])),
  lie: () =>
    writeSync(ANSWERS, encodeHeader({ kind: 'done', rssBytes: 1, analysis: {} } as object)),
  // The regular answer follows.
  babble: () => writeSync(ANSWERS, READY),
  // Arrives when the next sample is processed.
  'say more': () => writeSync(ANSWERS, Buffer.concat([FAILED, FAILED])),
  stay: () => void setInterval(() => undefined, 1000),
};

/** The synchronous deeds. */
const mischief: Extractor = {
  family: 'mischief',
  pages: {},
  matches: (subject) => requestedDeed(subject) !== undefined,
  extract(subject) {
    const deed = requestedDeed(subject) ?? '';
    deeds[deed]?.();
    if (deed === 'descriptors') return { endpoints: [], other: openDescriptors() };
    if (!deed.startsWith('deny')) return undefined;
    const other = {
      read: attempt(() => readFileSync('/etc/passwd')),
      write: attempt(() => writeFileSync('/tmp/rapsheet-mischief', 'x')),
      start: attempt(spawnShell),
      root: attempt(() => mkdirSync('/rapsheet-mischief')),
    };
    return { endpoints: [], other };
  },
};

/** A refused connection is reported asynchronously. */
const network = defineFormat({
  name: 'network',
  tags: {},
  matches: (subject) => requestedDeed(subject)?.startsWith('deny') === true,
  async inspect(subject, findings) {
    const socket: Fact = await openSocket(Number(requestedDeed(subject)?.split(' ')[1]));
    findings.facts({ socket });
  },
});

await serveRequests((rules) =>
  openEngine(rules, { formats: [...formats, network], extractors: [mischief] }),
);
