import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SAMPLES_FOLDER } from '../config/locations.ts';
import type { Config } from '../config.ts';

/**
 * Creates the folders of the settings and checks that they are writable. Throws one line that names
 * the setting and the folder.
 */
export function openDataFolders(config: Pick<Config, 'dataDir' | 'database' | 'samples'>): void {
  for (const { setting, folder } of dataFolders(config)) openFolder(setting, folder);
}

interface DataFolder {
  readonly setting: string;
  readonly folder: string;
}

/** Every folder that a server writes to, with its setting. */
export function dataFolders({
  dataDir,
  database,
  samples,
}: Pick<Config, 'dataDir' | 'database' | 'samples'>): readonly DataFolder[] {
  const folders: DataFolder[] = [{ setting: 'RAPSHEET_DATA_DIR', folder: dataDir }];
  const add = (setting: string, folder: string, byDefault: string) => {
    if (folder !== dataDir)
      folders.push({ setting: folder === byDefault ? 'RAPSHEET_DATA_DIR' : setting, folder });
  };
  if (database.kind === 'sqlite') add('RAPSHEET_DATABASE_URL', dirname(database.file), dataDir);
  if (samples.kind === 'folder')
    add('RAPSHEET_SAMPLES_URL', samples.folder, join(dataDir, SAMPLES_FOLDER));
  return folders;
}

/** Creates a folder and checks that it is writable. */
export function openFolder(setting: string, folder: string): void {
  try {
    makeFolder(folder);
    // On a read-only file system this fails for root as well.
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`${setting}: the folder ${folder} cannot be used: ${message}`, { cause });
  }
}

/**
 * Not `mkdir` with `recursive`: if a file system returns ENOENT although the parent exists (as
 * /proc does), Node retries for ever.
 */
function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder);
  } catch (cause) {
    // Another process may have created it.
    if (!isFolder(folder)) throw cause;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
