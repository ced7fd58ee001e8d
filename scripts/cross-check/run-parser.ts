import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Answer, isAnswer } from './settings.ts';

/** A file, and what the driver is asked for. */
export interface Job {
  readonly file: string;
  readonly entry: string;
}

export interface ParserRun {
  readonly driver: string;
  readonly version: string;
  readonly python: string;
  /** The current folder of the process, and its home. */
  readonly folder: string;
  readonly jobs: readonly Job[];
}

export type ParserResult =
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }
  /** Answers by file; `undefined` if the parser found no settings. */
  | { readonly kind: 'finished'; readonly answers: ReadonlyMap<string, Answer | undefined> };

/** The driver limits the time of a file. This limit is for code that it cannot interrupt. */
const TIMEOUT_MS = 240_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs a parser over all files, in one process: importing it takes longer than a file. */
export function runParser({ driver, version, python, folder, jobs }: ParserRun): ParserResult {
  const child = spawnSync(python, [fileURLToPath(new URL(driver, import.meta.url))], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      LANG: 'C.UTF-8',
      PYTHONDONTWRITEBYTECODE: '1',
    },
    input: JSON.stringify(jobs),
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  const [head, ...lines] = child.stdout?.split('\n').filter((line) => line !== '') ?? [];
  if (head === undefined) return { kind: 'failed', reason: reasonOf(child) };
  const start: unknown = JSON.parse(head);
  if (!isAnswer(start) || typeof start['version'] !== 'string')
    return { kind: 'skipped', reason: `it cannot be imported: ${missingOf(start)}` };
  if (start['version'] !== version)
    return { kind: 'skipped', reason: `version ${start['version']} is not ${version}` };
  if (lines.length !== jobs.length || child.status !== 0)
    return { kind: 'failed', reason: `${reasonOf(child)} after ${lines.length} files` };
  return { kind: 'finished', answers: new Map(lines.map(answerOf)) };
}

function reasonOf({ error, status, signal, stderr }: ReturnType<typeof spawnSync>): string {
  const last = String(stderr ?? '').trim();
  return `it ended with ${error?.message ?? signal ?? status}: ${last.slice(-500)}`;
}

function missingOf(start: unknown): string {
  return isAnswer(start) ? String(start['missing']) : 'no answer';
}

function answerOf(line: string): [file: string, answer: Answer | undefined] {
  const answer: unknown = JSON.parse(line);
  if (!isAnswer(answer)) throw new Error(`not an answer of a driver: ${line}`);
  const settings = answer['settings'];
  return [String(answer['file']), isAnswer(settings) ? settings : undefined];
}
