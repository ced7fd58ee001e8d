import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config } from '../config.ts';
import {
  ENOUGH_WEBHOOKS,
  toUnreadable,
  type UnreadableSecrets,
} from '../operations/webhooks/check-secrets.ts';
import type { SampleFiles } from '../ports/sample-files.ts';
import { openSampleFolder, readSampleFolder } from '../sample-files/folder.ts';
import { openSampleFiles } from '../sample-files/open.ts';
import type { Progress } from '../storage/backup/database.ts';
import { type MadeBackup, makeBackup } from '../storage/backup/make.ts';
import type { Manifest } from '../storage/backup/manifest.ts';
import { readNewestSecrets } from '../storage/backup/newest-secrets.ts';
import { restoreBackup } from '../storage/backup/restore.ts';
import { openDataFolders, openFolder } from './data-folders.ts';
import { readSealer } from './secret-keys.ts';

/** Called with the progress of the two phases, in pages or bytes. */
export interface BackupProgress {
  readonly first: Progress;
  readonly second: Progress;
}

export async function backUp(
  config: Config,
  target: string,
  { samples, first, second }: BackupProgress & { readonly samples: boolean },
): Promise<MadeBackup> {
  process.umask(0o077);
  // Without a database nothing is created.
  if (existsSync(fileOf(config))) openFolder('the backup', dirname(resolve(target)));
  return makeBackup({
    databaseFile: fileOf(config),
    files: samples ? await openForReading(config) : undefined,
    openFolder: openSampleFolder,
    target: resolve(target),
    madeAt: new Date(),
    copyingPages: first,
    copyingSamples: second,
  });
}

export async function restore(
  config: Config,
  source: string,
  { first, second }: BackupProgress,
): Promise<Manifest> {
  process.umask(0o077);
  return restoreBackup({
    source: resolve(source),
    dataDir: config.dataDir,
    databaseFile: fileOf(config),
    samplesFolder: config.samples.kind === 'folder' ? config.samples.folder : undefined,
    readFolder: readSampleFolder,
    makeFolders: () => openDataFolders(config),
    openFiles: () => openFiles(config),
    checking: first,
    copying: second,
  });
}

/** Webhooks of a restored store whose secrets the key of this installation does not decrypt. */
export async function unreadableSecrets(config: Config): Promise<UnreadableSecrets> {
  const sealer = await readSealer(config);
  const found = [];
  for (const secret of readNewestSecrets(fileOf(config))) {
    if (sealer?.open(secret.sealed, secret.id) === undefined) found.push(secret);
    if (found.length >= ENOUGH_WEBHOOKS) break;
  }
  return toUnreadable(found);
}

function fileOf({ database }: Config): string {
  if (database.kind === 'sqlite') return database.file;
  throw new Error(
    'this command backs up SQLite only; for PostgreSQL use pg_dump or pg_basebackup: see docs/operations/backup.md',
  );
}

/** Opens the samples for reading, without creating a folder. */
async function openForReading(config: Config): Promise<Pick<SampleFiles, 'read'>> {
  const { samples } = config;
  return samples.kind === 'folder' ? readSampleFolder(samples.folder) : openFiles(config);
}

function openFiles(config: Config) {
  return openSampleFiles(config.samples, config.dataDir, { probe: true });
}
