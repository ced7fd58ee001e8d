import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, listenUrl } from '../config.ts';
import type { Log } from '../observability/log.ts';

/** The URL of the server for a command beside it, which may have other settings or none. */
export function serverUrl(config: Config): string {
  return config.baseUrl ?? lastServerUrl(config) ?? listenUrl(config);
}

type Folder = Pick<Config, 'dataDir'>;

/** The URL at which the server of this data folder was started last. */
export function lastServerUrl(config: Folder): string | undefined {
  try {
    const text = readFileSync(fileOf(config), 'utf8').trim();
    return /^https?:$/.test(new URL(text).protocol) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** A server whose disk is full starts nevertheless. */
export function rememberServerUrl(config: Folder, url: string, log: Pick<Log, 'warn'>): void {
  try {
    writeFileSync(fileOf(config), `${url}\n`);
  } catch (err) {
    log.warn({ err }, 'commands may print links with another port: server-url was not written');
  }
}

function fileOf({ dataDir }: Folder): string {
  return join(dataDir, 'server-url');
}
