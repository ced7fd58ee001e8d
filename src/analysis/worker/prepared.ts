import { spawn } from 'node:child_process';
import { randomBytes, webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, statSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { RuleSource } from '../rules/rule-source.ts';
import type { ImageHeader, RulesImage } from '../rules/rules-image.ts';

/** What a worker would otherwise compute at its start, which takes more than a second. */
export interface Prepared {
  /** The modules of its program, without types, as JSON. */
  readonly program: Buffer;
  /** The compiled rules; absent if YARA-X keeps a state that cannot be saved. */
  readonly image?: RulesImage | undefined;
}

interface PreparedHeader {
  readonly node: string;
  /** The files that it was made of: path and identity. */
  readonly files: readonly (readonly [string, string])[];
  readonly programBytes: number;
  readonly image?: ImageHeader;
}

interface PrepareOptions {
  /** Where it is stored; in the package by default. */
  readonly folder?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Prepares it from the rules as JSON; tests pass their own. */
  readonly prepare?: typeof runPreparation;
}

const OWNER_ONLY = 0o700;
const WRITABLE_BY_OTHERS = 0o022;
const PREPARE_TIMEOUT_MS = 60_000;
const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
const NEWLINE = 0x0a;

/**
 * Reads what was prepared for these rules, or prepares and stores it. It is used only from a folder
 * of our own that nobody else can write to, only whole, and only for the files that it was made of.
 * Returns `undefined` if that is not possible: workers then start as slowly as without.
 */
export async function openPrepared(
  rules: readonly RuleSource[],
  { folder = ownFolder(), signal, prepare = runPreparation }: PrepareOptions = {},
): Promise<Prepared | undefined> {
  try {
    if (!isOwnFolder(folder)) return undefined;
    const input = Buffer.from(JSON.stringify(rules));
    const file = join(folder, `worker-${await sha256(input)}`);
    const stored = await read(file);
    if (stored !== undefined) return stored;
    await store(file, await prepare(input, signal));
    await removeOld(folder);
    return await read(file);
  } catch {
    // For example a full disk, or a file system that is not writable.
    return undefined;
  }
}

/** Beside the compile cache of Node, in the folder of packages. */
function ownFolder(): string {
  return fileURLToPath(new URL('../../../node_modules/.cache/rapsheet/analysis', import.meta.url));
}

function isOwnFolder(folder: string): boolean {
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY });
  const { uid, mode } = statSync(folder);
  // Without users, as on Windows, nothing is known about others.
  return process.geteuid?.() === uid && (mode & WRITABLE_BY_OTHERS) === 0;
}

async function sha256(bytes: Buffer<ArrayBuffer>): Promise<string> {
  // In another thread: several megabytes would block the event loop.
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
}

/**
 * The file is: digest of the rest | newline | header as JSON | newline | program | image. Returns
 * `undefined` if it is absent, damaged or outdated.
 */
async function read(file: string): Promise<Prepared | undefined> {
  const bytes = await readFile(file).catch(() => undefined);
  const headerAt = (bytes?.indexOf(NEWLINE) ?? -1) + 1;
  if (bytes === undefined || headerAt === 0) return undefined;
  if (bytes.toString('latin1', 0, headerAt - 1) !== (await sha256(bytes.subarray(headerAt))))
    return undefined;
  const programAt = bytes.indexOf(NEWLINE, headerAt) + 1;
  const header: PreparedHeader = JSON.parse(bytes.toString('utf8', headerAt, programAt));
  if (header.node !== process.version || !header.files.every(isUnchanged)) return undefined;
  const imageAt = programAt + header.programBytes;
  return {
    program: bytes.subarray(programAt, imageAt),
    image: header.image && { header: header.image, memory: bytes.subarray(imageAt) },
  };
}

function isUnchanged([file, identity]: PreparedHeader['files'][number]): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && identity === `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
}

async function runPreparation(
  input: Buffer,
  signal: AbortSignal | undefined,
): Promise<Buffer<ArrayBuffer>> {
  const program = fileURLToPath(new URL(`prepare${EXTENSION}`, import.meta.url));
  const child = spawn(process.execPath, ['--no-warnings', program], {
    env: {},
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    timeout: PREPARE_TIMEOUT_MS,
    killSignal: 'SIGKILL',
    ...(signal && { signal }),
  });
  const exited = once(child, 'exit');
  child.stdin?.on('error', () => undefined).end(input);
  const [output, [code]] = await Promise.all([buffer(child.stdio[3] as Readable), exited]);
  if (code !== 0) throw new Error(`preparing ended with ${code}`);
  return output;
}

const FILE_NAME = /^worker-[0-9a-f]{64}(?:\.[0-9a-f]{12})?$/;
const KEPT_FILES = 4;

/**
 * Removes all but the newest files: 7 MB for each set of rules. A process that reads one of the
 * others has it open, or prepares it again.
 */
async function removeOld(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => FILE_NAME.test(name));
  const files = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      const stats = await stat(file).catch(() => undefined);
      return { file, mtimeMs: stats?.mtimeMs ?? 0 };
    }),
  );
  files.sort((one, other) => other.mtimeMs - one.mtimeMs);
  for (const { file } of files.slice(KEPT_FILES)) await rm(file, { force: true });
}

/** Under a temporary name first: another process may prepare the same. */
async function store(file: string, output: Buffer<ArrayBuffer>): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(temporary, [`${await sha256(output)}\n`, output], { mode: 0o600 });
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}
