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
 * A worker as it would be if a sample had taken it over: files that begin with `MISCHIEF:` make it do what
 * stands behind. The engine around it is the real one.
 */
const MARK = 'MISCHIEF:';
const ANSWERS = 3;
const READY = encodeHeader({ kind: 'ready', ruleProblems: [] } as object);
const FAILED = encodeHeader({ kind: 'failed', message: 'a lie', rssBytes: 1 } as object);

function wish(subject: Subject): string | undefined {
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

/** Which descriptors this process has, and where they lead to; that of the list itself is gone by then. */
function openDescriptors(): Record<string, string> {
  const all: Record<string, string> = {};
  for (const descriptor of readdirSync('/proc/self/fd')) {
    try {
      all[descriptor] = readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      // Closed since.
    }
  }
  return all;
}

const eaten: Buffer[] = [];

const deeds: Readonly<Record<string, () => void>> = {
  hang: () => {
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
  // Its own answer still follows.
  babble: () => writeSync(ANSWERS, READY),
  // To be heard when the next sample comes.
  'say more': () => writeSync(ANSWERS, Buffer.concat([FAILED, FAILED])),
  stay: () => void setInterval(() => undefined, 1000),
};

/** What an extractor may try without waiting. */
const mischief: Extractor = {
  family: 'mischief',
  pages: {},
  matches: (subject) => wish(subject) !== undefined,
  extract(subject) {
    const deed = wish(subject) ?? '';
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

/** A connection is only known to be refused a moment later. */
const network = defineFormat({
  name: 'network',
  tags: {},
  matches: (subject) => wish(subject)?.startsWith('deny') === true,
  async inspect(subject, findings) {
    const socket: Fact = await openSocket(Number(wish(subject)?.split(' ')[1]));
    findings.facts({ socket });
  },
});

await serveRequests((rules) =>
  openEngine(rules, { formats: [...formats, network], extractors: [mischief] }),
);
