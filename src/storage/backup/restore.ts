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

type KeptSamples = Pick<SampleFiles, 'read' | 'has'>;

export interface RestorePlan {
  readonly source: string;
  readonly dataDir: string;
  readonly databaseFile: string;
  /** Where samples lie, if that is a folder: it must be empty. */
  readonly samplesFolder: string | undefined;
  /** The samples of the backup. */
  readFolder(folder: string): KeptSamples;
  /** Creates the folders that the settings name; called when everything was found to be right. */
  makeFolders(): void;
  /** Those that are to be; opened when everything was found to be right. */
  openFiles(): Promise<SampleFiles>;
  readonly checking: Progress;
  readonly copying: Progress;
}

/** Says in a data folder which backup was being restored when it broke off. */
const MARK = 'restoring';
/** What may be there before: the operator puts it back by hand. */
const EXPECTED = ['secret-key', MARK];

/** Puts a backup where there is nothing yet. It is checked as a whole before anything is written. */
export async function restoreBackup(plan: RestorePlan): Promise<Manifest> {
  const { source, dataDir } = plan;
  const manifest = await readManifest(source);
  // An older program would not understand it.
  pendingMigrations(readMigrations('sqlite'), manifest.schema);
  await refuseUsed(plan, manifest);
  const samples = manifest.samples === null ? undefined : plan.readFolder(join(source, SAMPLES));
  await checkDatabase(source, manifest);
  if (samples !== undefined) await checkSamples(plan, manifest, samples);
  await begin(plan, manifest);
  if (samples !== undefined) await copySamples(plan, manifest, samples);
  await putDatabase(plan);
  await unlink(join(dataDir, MARK));
  return manifest;
}

async function refuseUsed(plan: RestorePlan, { database }: Manifest): Promise<void> {
  const { dataDir, databaseFile, samplesFolder } = plan;
  for (const ending of ['', '-wal', '-shm']) {
    if (existsSync(databaseFile + ending))
      throw new Error(
        `${databaseFile}${ending} is there already: a backup is put into an empty place`,
      );
  }
  const mark = await readFile(join(dataDir, MARK), 'utf8').catch(() => undefined);
  // It broke off: what lies there is of this very backup.
  if (mark?.trim() === database.sha256) return;
  const inside = (await entriesOf(dataDir)).filter((name) => !EXPECTED.includes(name));
  for (const name of inside)
    if ((await entriesOf(join(dataDir, name))).length > 0 || !(await isFolder(join(dataDir, name))))
      throw new Error(`${dataDir} is not empty (${name}): a backup is put into an empty place`);
  const samples = await entriesOf(samplesFolder ?? dataDir);
  if (samplesFolder !== undefined && samples.some((name) => name !== 'incoming'))
    throw new Error(`${samplesFolder} is not empty: a backup is put into an empty place`);
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
    throw new Error(`${file} is not what the manifest says: the backup is damaged`);
}

async function checkSamples(
  { source, checking }: RestorePlan,
  { samples }: Manifest,
  files: KeptSamples,
): Promise<void> {
  const list = join(source, SAMPLES_LIST);
  if (!existsSync(list) || (await sha256Of(list)) !== samples?.sha256)
    throw new Error(`${list} is not what the manifest says: the backup is damaged`);
  let bytes = 0;
  for await (const sha256 of listed(source)) {
    const size = await sizeOf(files, sha256);
    if (size === undefined) throw new Error(`sample ${sha256} is missing or damaged in the backup`);
    bytes += size;
    checking(bytes, samples.sizeBytes);
  }
}

/** By reading it, which checks it. */
async function sizeOf(files: KeptSamples, sha256: string): Promise<number | undefined> {
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
  files: KeptSamples,
): Promise<void> {
  const target = await openFiles();
  let bytes = 0;
  for await (const sha256 of listed(source)) {
    bytes += (await copySample(files, target, sha256)) ?? 0;
    copying(bytes, samples?.sizeBytes ?? 0);
  }
}

/** Last: while it is not there, there is no store, and the rest can be done again. */
async function putDatabase({ source, databaseFile }: RestorePlan): Promise<void> {
  const temporary = join(dirname(databaseFile), `${basename(databaseFile)}.restoring`);
  await rm(temporary, { force: true });
  await writeNewFile(temporary, readPieces(join(source, DATABASE)));
  await renameToNew(temporary, databaseFile);
}
