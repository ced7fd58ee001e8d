import { spawn } from 'node:child_process';
import { randomBytes, webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { RuleSource } from '../rules/rule-source.ts';
import type { ImageHeader, RulesImage } from '../rules/yara/rules-image.ts';

interface CacheOptions {
  /** Where images are stored; in the package by default. */
  readonly folder?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Compiles the rules, given as JSON; tests pass their own. */
  readonly compile?: typeof compileImage;
}

const OWNER_ONLY = 0o700;
const WRITABLE_BY_OTHERS = 0o022;
const COMPILE_TIMEOUT_MS = 60_000;
const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
const NEWLINE = 0x0a;

/**
 * Returns the image of these rules from the disk, or compiles the rules and stores it: a worker
 * opens an image in a tenth of a second, while compiling takes one second of processor time for our
 * rules, and ten more for 1,000 further ones. An image is used only from a folder of our own that
 * nobody else can write to, and only whole. Returns `undefined` if that is not possible: each
 * worker then compiles the rules. A YARA-X that can save compiled rules replaces this.
 */
export async function openImage(
  rules: readonly RuleSource[],
  { folder = ownFolder(), signal, compile = compileImage }: CacheOptions = {},
): Promise<RulesImage | undefined> {
  try {
    if (!isOwnFolder(folder)) return undefined;
    const file = join(folder, `rules-${await keyOf(rules)}`);
    const stored = await read(file);
    if (stored !== undefined) return stored;
    await store(file, await compile(Buffer.from(JSON.stringify(rules)), signal));
    await removeOld(folder);
    return await read(file);
  } catch {
    // For example a full disk, or a file system that is not writable.
    return undefined;
  }
}

/** An image depends on Node, on YARA-X, on the code that compiles the rules, and on the rules. */
async function keyOf(rules: readonly RuleSource[]): Promise<string> {
  const yara = readFileSync(fileURLToPath(import.meta.resolve('@virustotal/yara-x/package.json')));
  const folder = new URL('../rules/', import.meta.url);
  const code = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.[jt]s$/.test(path))
    .map((path) => readFileSync(new URL(path, folder), 'utf8'));
  return await sha256(Buffer.from(JSON.stringify([process.version, `${yara}`, code, rules])));
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
 * The file is: digest of the rest | newline | header as JSON | newline | memory. Returns
 * `undefined` if it is absent or damaged.
 */
async function read(file: string): Promise<RulesImage | undefined> {
  const bytes = await readFile(file).catch(() => undefined);
  const headerAt = (bytes?.indexOf(NEWLINE) ?? -1) + 1;
  if (bytes === undefined || headerAt === 0) return undefined;
  if (bytes.toString('latin1', 0, headerAt - 1) !== (await sha256(bytes.subarray(headerAt))))
    return undefined;
  const memoryAt = bytes.indexOf(NEWLINE, headerAt) + 1;
  if (memoryAt === 0) return undefined;
  const header: ImageHeader = JSON.parse(bytes.toString('utf8', headerAt, memoryAt));
  return { header, memory: bytes.subarray(memoryAt) };
}

async function compileImage(
  input: Buffer,
  signal: AbortSignal | undefined,
): Promise<Buffer<ArrayBuffer>> {
  const program = fileURLToPath(new URL(`compile-image${EXTENSION}`, import.meta.url));
  const child = spawn(process.execPath, ['--no-warnings', program], {
    env: {},
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    timeout: COMPILE_TIMEOUT_MS,
    killSignal: 'SIGKILL',
    ...(signal && { signal }),
  });
  const exited = once(child, 'exit');
  child.stdin?.on('error', () => undefined).end(input);
  const [output, [code]] = await Promise.all([buffer(child.stdio[3] as Readable), exited]);
  if (code !== 0) throw new Error(`compiling ended with ${code}`);
  return output;
}

const FILE_NAME = /^(?:rules|worker)-[0-9a-f]{64}(?:\.[0-9a-f]{12})?$/;
const KEPT_FILES = 4;

/**
 * Removes all but the newest files, 12 MB each. A process that reads one of the others has it open,
 * or compiles its rules again.
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

/** Under a temporary name first: another process may compile the same rules. */
async function store(file: string, output: Buffer<ArrayBuffer>): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(temporary, [`${await sha256(output)}\n`, output], { mode: 0o600 });
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}
