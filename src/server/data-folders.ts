import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../config.ts';

/**
 * Creates the folders that the settings name and checks that they can be written to. Throws one line that names the
 * setting and the folder.
 */
export function openDataFolders(config: Pick<Config, 'dataDir' | 'database' | 'samples'>): void {
  for (const { setting, folder } of dataFolders(config)) openFolder(setting, folder);
}

interface DataFolder {
  readonly setting: string;
  readonly folder: string;
}

/** Every folder that a server writes to, with the setting that it comes from. */
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
    add('RAPSHEET_SAMPLES_URL', samples.folder, join(dataDir, 'samples'));
  return folders;
}

/** Creates the folder of a file that an operator has named. */
export function openFolder(setting: string, folder: string): void {
  try {
    makeFolder(folder);
    // On a file system that is mounted read-only this fails for root, too.
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`${setting}: the folder ${folder} cannot be used: ${message}`, { cause });
  }
}

/**
 * Instead of `mkdir` with `recursive`: where a file system answers ENOENT although the parent exists (/proc does), Node
 * creates the parent again and again and never returns.
 */
function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder);
  } catch (cause) {
    // Another process may have been first.
    if (!isFolder(folder)) throw cause;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
