import { existsSync } from 'node:fs';
import { mkdir, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { renameFile, writeNewFile } from '../../platform/durable-file.ts';
import { DamagedSample, type SampleFiles } from '../../ports/sample-files.ts';
import { copyDatabase, migrationsOf, type Progress, uploadTableOf } from './database.ts';
import { sha256Of } from './file-digest.ts';
import { DATABASE, MANIFEST, type Manifest, SAMPLES, SAMPLES_LIST } from './manifest.ts';

export interface BackupPlan {
  readonly databaseFile: string;
  /** The samples to copy; `undefined` leaves them out. */
  readonly files: Pick<SampleFiles, 'read'> | undefined;
  openFolder(folder: string): Promise<SampleFiles>;
  /** Must not exist. */
  readonly target: string;
  readonly madeAt: Date;
  readonly copyingPages: Progress;
  readonly copyingSamples: Progress;
}

export interface MadeBackup {
  readonly manifest: Manifest;
  /** Samples of the store whose files are missing or damaged; the first ten. */
  readonly missing: readonly string[];
  readonly missingCount: number;
}

const MAX_SHOWN = 10;
const PAGE = 1000;

/** Backs up a store that may be in use. The folder gets its name when the backup is complete. */
export async function makeBackup(plan: BackupPlan): Promise<MadeBackup> {
  const { target, databaseFile } = plan;
  if (existsSync(target)) throw new Error(`${target} exists already, and is not overwritten`);
  if (!existsSync(databaseFile)) throw new Error(`there is no store at ${databaseFile}`);
  const folder = join(dirname(target), `${basename(target)}.unfinished`);
  await createFolder(folder);
  const source = new DatabaseSync(databaseFile, { readOnly: true });
  try {
    const made = await fill(folder, source, plan);
    await renameFile(folder, target);
    return made;
  } catch (cause) {
    await rm(folder, { recursive: true, force: true });
    throw cause;
  } finally {
    source.close();
  }
}

async function createFolder(folder: string): Promise<void> {
  try {
    await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
    await mkdir(folder, { mode: 0o700 });
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw cause;
    throw new Error(
      `${folder} exists: another backup is running, or one was interrupted; remove it then`,
      { cause },
    );
  }
}

async function fill(folder: string, source: DatabaseSync, plan: BackupPlan): Promise<MadeBackup> {
  const database = join(folder, DATABASE);
  await copyDatabase(source, database, plan.copyingPages);
  const copy = new DatabaseSync(database, { readOnly: true });
  try {
    // After the database: a file is stored before its row, so the files of all rows in the copy
    // exist.
    const copied =
      plan.files === undefined ? undefined : await copySamples(folder, copy, plan.files, plan);
    const missing = (copied?.missing ?? []).filter((sha256) => isStillStored(source, sha256));
    const manifest: Manifest = {
      format: 'rapsheet-backup',
      version: 1,
      madeAt: plan.madeAt.toISOString(),
      schema: [...migrationsOf(copy)],
      database: { sizeBytes: (await stat(database)).size, sha256: await sha256Of(database) },
      samples: copied?.samples ?? null,
    };
    await writeNewFile(join(folder, MANIFEST), [`${JSON.stringify(manifest, null, 2)}\n`]);
    return { manifest, missing: missing.slice(0, MAX_SHOWN), missingCount: missing.length };
  } finally {
    copy.close();
  }
}

/** A sample that was removed since is not reported as missing. */
function isStillStored(source: DatabaseSync, sha256: string): boolean {
  const found = source.prepare(`select 1 from ${uploadTableOf(source)} where sha256 = ?`);
  return found.get(Buffer.from(sha256, 'hex')) !== undefined;
}

async function copySamples(
  folder: string,
  copy: DatabaseSync,
  files: Pick<SampleFiles, 'read'>,
  { openFolder, copyingSamples }: BackupPlan,
) {
  const target = await openFolder(join(folder, SAMPLES));
  const total = Number(
    copy.prepare(`select sum(size_bytes) as bytes from ${uploadTableOf(copy)}`).get()?.['bytes'],
  );
  const missing: string[] = [];
  let [count, sizeBytes] = [0, 0];
  async function* lines() {
    for (const sha256 of samplesOf(copy)) {
      const bytes = await copySample(files, target, sha256);
      if (bytes === undefined) missing.push(sha256);
      else {
        count += 1;
        sizeBytes += bytes;
        copyingSamples(sizeBytes, total);
        yield `${sha256} ${bytes}\n`;
      }
    }
  }
  const list = join(folder, SAMPLES_LIST);
  await writeNewFile(list, lines());
  await rmdir(join(folder, SAMPLES, 'incoming'));
  return { samples: { count, sizeBytes, sha256: await sha256Of(list) }, missing };
}

/** In the order of their hashes. */
function* samplesOf(db: DatabaseSync): Generator<string> {
  const page = db.prepare(
    `select sha256 from ${uploadTableOf(db)} where sha256 > ? order by sha256 limit (? + 0)`,
  );
  let after: Uint8Array | undefined = new Uint8Array();
  while (after !== undefined) {
    const found = page.all(after, PAGE) as { sha256: Uint8Array }[];
    for (const { sha256 } of found) yield Buffer.from(sha256).toString('hex');
    after = found.at(-1)?.sha256;
  }
}

/** Returns the size; `undefined` if the file is missing or damaged. */
export async function copySample(
  source: Pick<SampleFiles, 'read'>,
  target: Pick<SampleFiles, 'receive'>,
  sha256: string,
): Promise<number | undefined> {
  const pieces = await source.read(sha256);
  if (pieces === undefined) return undefined;
  const incoming = await target.receive();
  try {
    let bytes = 0;
    for await (const piece of pieces) {
      bytes += piece.length;
      await incoming.write(piece);
    }
    await incoming.keep(sha256);
    return bytes;
  } catch (cause) {
    await incoming.discard();
    if (cause instanceof DamagedSample) return undefined;
    throw cause;
  }
}
