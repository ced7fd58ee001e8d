import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Environment } from './environment.ts';

/** SQLite runs in this process. A PostgreSQL server serves any number of processes. */
export type DatabaseLocation =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** An S3 bucket for samples. */
export interface BucketLocation {
  readonly kind: 's3';
  readonly bucket: string;
  /** Without leading and trailing slashes; may be empty. */
  readonly prefix: string;
  /** `undefined`: AWS. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** `undefined`: the credentials of the machine or its role. */
  readonly credentials:
    | { readonly accessKeyId: string; readonly secretAccessKey: string }
    | undefined;
}

export type SamplesLocation = { readonly kind: 'folder'; readonly folder: string } | BucketLocation;

/** The settings of a bucket. */
interface BucketSettings {
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
}

/** The default database and folder of samples, in the data folder. */
export const DATABASE_FILE = 'rapsheet.db';
export const SAMPLES_FOLDER = 'samples';

const POSTGRES_URL = /^postgres(?:ql)?:\/\/[^\s]+$/;

export function parseDatabaseUrl(text: string): DatabaseLocation | undefined {
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(text)?.[1];
  if (file !== undefined && /[^/]/.test(file)) return { kind: 'sqlite', file: resolve(file) };
  const isPostgres = POSTGRES_URL.test(text) && URL.canParse(text);
  return isPostgres && new URL(text).pathname.length > 1
    ? { kind: 'postgres', url: text }
    : undefined;
}

/** Without the password, and without parameters, which may hold one. */
export function formatDatabaseUrl(database: DatabaseLocation): string {
  if (database.kind === 'sqlite') return `sqlite:${database.file}`;
  const { username, host, pathname } = new URL(database.url);
  return `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`;
}

/** The name of a bucket, and a prefix of characters that need no encoding in an object key. */
const S3_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9!_.*'()-]+)*)\/?$/;

type SamplesUrl =
  | Exclude<SamplesLocation, BucketLocation>
  | Pick<BucketLocation, 'kind' | 'bucket' | 'prefix'>;

export function parseSamplesUrl(text: string): SamplesUrl | undefined {
  const folder = /^file:(?:\/\/)?(.+)$/.exec(text)?.[1];
  if (folder !== undefined && /[^/]/.test(folder))
    return { kind: 'folder', folder: resolve(folder) };
  const [, bucket, prefix = ''] = S3_URL.exec(text) ?? [];
  // Some stores treat a key as a path and would resolve `..`.
  return bucket === undefined || /\/\.{1,2}(?:\/|$)/.test(prefix)
    ? undefined
    : { kind: 's3', bucket, prefix: prefix.slice(1) };
}

export function formatSamplesUrl(samples: SamplesUrl): string {
  if (samples.kind === 'folder') return `file:${samples.folder}`;
  return `s3://${[samples.bucket, samples.prefix].filter(Boolean).join('/')}`;
}

export function samplesLocation(
  url: SamplesUrl,
  { endpoint, region, accessKeyId, secretAccessKey }: BucketSettings,
): SamplesLocation {
  if (url.kind === 'folder') return url;
  const hasKey = accessKeyId !== undefined && secretAccessKey !== undefined;
  const credentials = hasKey ? { accessKeyId, secretAccessKey } : undefined;
  return { ...url, endpoint, region, credentials };
}

/** The mail server. */
export interface SmtpLocation {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte. */
  readonly secure: boolean;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
}

/** The port of each scheme, if the URL has none. */
export const SMTP_PORTS = { 'smtp:': 587, 'smtps:': 465 };
const SMTP_URL =
  /^smtps?:\/\/(?:[^\s/?#@:]+:[^\s/?#@:]+@)?(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?\/?$/i;

export function parseSmtpUrl(text: string): SmtpLocation | undefined {
  if (!SMTP_URL.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, username, password, hostname, port } = new URL(text);
  const secure = protocol === 'smtps:';
  const credentials = { user: decoded(username), password: decoded(password) };
  if (credentials.user === undefined || credentials.password === undefined) return undefined;
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? SMTP_PORTS[secure ? 'smtps:' : 'smtp:'] : Number(port),
    secure,
    credentials:
      username === '' ? undefined : { user: credentials.user, password: credentials.password },
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The folder of profiles. The XDG Base Directory Specification ignores a relative path. */
export function defaultConfigDir(environment: Environment): string {
  const xdg = environment['XDG_CONFIG_HOME'] ?? '';
  return join(isAbsolute(xdg) ? xdg : join(homeFolder(environment), '.config'), 'rapsheet');
}

/** A user of a container may have neither the variable nor an entry in the list of users. */
function homeFolder({ HOME = '' }: Environment): string {
  if (HOME !== '') return HOME;
  try {
    return homedir();
  } catch {
    return '/';
  }
}
