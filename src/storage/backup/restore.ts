import { createReadStream, existsSync } from 'node:fs';
import { readdir, readFile, rm, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { renameToNew, writeNewFile } from '../../platform/durable-file.ts';
import { DamagedSample, type SampleFiles } from '../../ports/sample-files.ts';
import { pendingMigrations, readMigrations } from '../migrate.ts';
import type { Progress } from './database.ts';
import { readPieces, sha256Of } from './file-digest.ts';
import { copySample } from './make.ts';
import { DATABASE, type Manifest, readManifest, SAMPLES, SAMPLES_LIST } from './manifest.ts';

type StoredSamples = Pick<SampleFiles, 'read' | 'has'>;

export interface RestorePlan {
  readonly source: string;
  readonly dataDir: string;
  readonly databaseFile: string;
  /** The target of samples, if it is a folder; it must be empty. */
  readonly samplesFolder: string | undefined;
  /** The samples of the backup. */
  readFolder(folder: string): StoredSamples;
  /** Creates the folders of the settings; called after all checks. */
  makeFolders(): void;
  /** The target of samples; opened after all checks. */
  openFiles(): Promise<SampleFiles>;
  readonly checking: Progress;
  readonly copying: Progress;
}

/** A file in the data folder that names the backup during the restore. */
const MARK = 'restoring';
/** Files that may exist before: the operator restores the key. */
const EXPECTED = ['secret-key', MARK];

/** Restores a backup into empty folders. The whole backup is checked before anything is written. */
export async function restoreBackup(plan: RestorePlan): Promise<Manifest> {
  const { source, dataDir } = plan;
  const manifest = await readManifest(source);
  // Throws if the backup was made by a newer version.
  pendingMigrations(readMigrations('sqlite'), manifest.schema);
  await checkEmpty(plan, manifest);
  const samples = manifest.samples === null ? undefined : plan.readFolder(join(source, SAMPLES));
  await checkDatabase(source, manifest);
  if (samples !== undefined) await checkSamples(plan, manifest, samples);
  await begin(plan, manifest);
  if (samples !== undefined) await copySamples(plan, manifest, samples);
  await putDatabase(plan);
  await unlink(join(dataDir, MARK));
  return manifest;
}

async function checkEmpty(plan: RestorePlan, { database }: Manifest): Promise<void> {
  const { dataDir, databaseFile, samplesFolder } = plan;
  for (const ending of ['', '-wal', '-shm']) {
    if (existsSync(databaseFile + ending))
      throw new Error(
        `${databaseFile}${ending} exists already: a backup is restored into empty folders only`,
      );
  }
  const mark = await readFile(join(dataDir, MARK), 'utf8').catch(() => undefined);
  // An interrupted restore of the same backup is continued.
  if (mark?.trim() === database.sha256) return;
  const inside = (await entriesOf(dataDir)).filter((name) => !EXPECTED.includes(name));
  for (const name of inside)
    if ((await entriesOf(join(dataDir, name))).length > 0 || !(await isFolder(join(dataDir, name))))
      throw new Error(
        `${dataDir} is not empty (${name}): a backup is restored into empty folders only`,
      );
  const samples = await entriesOf(samplesFolder ?? dataDir);
  if (samplesFolder !== undefined && samples.some((name) => name !== 'incoming'))
    throw new Error(`${samplesFolder} is not empty: a backup is restored into empty folders only`);
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => []);
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path)).isDirectory();
}

async function checkDatabase(source: string, { database }: Manifest): Promise<void> {
  const file = join(source, DATABASE);
  if (!existsSync(file) || (await sha256Of(file)) !== database.sha256)
    throw new Error(`${file} does not match the manifest: the backup is damaged`);
}

async function checkSamples(
  { source, checking }: RestorePlan,
  { samples }: Manifest,
  files: StoredSamples,
): Promise<void> {
  const list = join(source, SAMPLES_LIST);
  if (!existsSync(list) || (await sha256Of(list)) !== samples?.sha256)
    throw new Error(`${list} does not match the manifest: the backup is damaged`);
  let bytes = 0;
  for await (const sha256 of listed(source)) {
    const size = await sizeOf(files, sha256);
    if (size === undefined) throw new Error(`sample ${sha256} is missing or damaged in the backup`);
    bytes += size;
    checking(bytes, samples.sizeBytes);
  }
}

/** Reads the whole sample, which checks it. */
async function sizeOf(files: StoredSamples, sha256: string): Promise<number | undefined> {
  try {
    let bytes = 0;
    for await (const piece of (await files.read(sha256)) ?? []) bytes += piece.length;
    return (await files.has(sha256)) ? bytes : undefined;
  } catch (cause) {
    if (cause instanceof DamagedSample) return undefined;
    throw cause;
  }
}

async function* listed(source: string): AsyncGenerator<string> {
  const lines = createInterface({ input: createReadStream(join(source, SAMPLES_LIST)) });
  for await (const line of lines) yield line.split(' ')[0] ?? '';
}

async function begin({ dataDir, makeFolders }: RestorePlan, { database }: Manifest): Promise<void> {
  makeFolders();
  const mark = join(dataDir, MARK);
  await rm(mark, { force: true });
  await writeNewFile(mark, [`${database.sha256}\n`]);
}

async function copySamples(
  { source, openFiles, copying }: RestorePlan,
  { samples }: Manifest,
  files: StoredSamples,
): Promise<void> {
  const target = await openFiles();
  let bytes = 0;
  for await (const sha256 of listed(source)) {
    bytes += (await copySample(files, target, sha256)) ?? 0;
    copying(bytes, samples?.sizeBytes ?? 0);
  }
}

/** The last step: without the database there is no store, and the restore can be repeated. */
async function putDatabase({ source, databaseFile }: RestorePlan): Promise<void> {
  const temporary = join(dirname(databaseFile), `${basename(databaseFile)}.restoring`);
  await rm(temporary, { force: true });
  await writeNewFile(temporary, readPieces(join(source, DATABASE)));
  await renameToNew(temporary, databaseFile);
}
