import { join, resolve } from 'node:path';
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

interface SamplesSettings {
  readonly RAPSHEET_DATA_DIR: string;
  readonly RAPSHEET_S3_ENDPOINT?: string | undefined;
  readonly RAPSHEET_S3_REGION: string;
  readonly RAPSHEET_S3_ACCESS_KEY_ID?: string | undefined;
  readonly RAPSHEET_S3_SECRET_ACCESS_KEY?: string | undefined;
}

const POSTGRES_URL = /^postgres(?:ql)?:\/\/[^\s]+$/;

export function parseDatabaseUrl(text: string): DatabaseLocation | undefined {
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(text)?.[1];
  if (file !== undefined && /[^/]/.test(file)) return { kind: 'sqlite', file: resolve(file) };
  const isPostgres = POSTGRES_URL.test(text) && URL.canParse(text);
  return isPostgres && new URL(text).pathname.length > 1
    ? { kind: 'postgres', url: text }
    : undefined;
}

/** The database of the settings; by default a file in the data folder. */
export function readDatabaseUrl(
  environment: Environment,
  dataDir: string,
  problems: string[],
): DatabaseLocation {
  const text = environment['RAPSHEET_DATABASE_URL'];
  const location = text === undefined ? undefined : parseDatabaseUrl(text);
  if (text !== undefined && location === undefined)
    problems.push(
      'RAPSHEET_DATABASE_URL must be sqlite:<file> or postgres://<user>:<password>@<host>:<port>/<database>, with the characters @ : / ? # in the password written as %40 %3A %2F %3F %23',
    );
  return location ?? { kind: 'sqlite', file: join(resolve(dataDir), 'rapsheet.db') };
}

/** The name of a bucket, and a prefix of characters that need no encoding in an object key. */
const S3_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9!_.*'()-]+)*)\/?$/;

type SamplesUrl =
  | Exclude<SamplesLocation, BucketLocation>
  | Pick<BucketLocation, 'kind' | 'bucket' | 'prefix'>;

export function readSamplesUrl(
  environment: Environment,
  problems: string[],
): SamplesUrl | undefined {
  const text = environment['RAPSHEET_SAMPLES_URL'];
  const hasKey = environment['RAPSHEET_S3_ACCESS_KEY_ID'] !== undefined;
  if (hasKey !== (environment['RAPSHEET_S3_SECRET_ACCESS_KEY'] !== undefined))
    problems.push(
      'RAPSHEET_S3_ACCESS_KEY_ID and RAPSHEET_S3_SECRET_ACCESS_KEY belong together: set both or neither',
    );
  if (text === undefined) return undefined;
  const folder = /^file:(?:\/\/)?(.+)$/.exec(text)?.[1];
  if (folder !== undefined && /[^/]/.test(folder))
    return { kind: 'folder', folder: resolve(folder) };
  const [, bucket, prefix = ''] = S3_URL.exec(text) ?? [];
  // Some stores treat a key as a path and would resolve `..`.
  if (bucket !== undefined && !/\/\.{1,2}(?:\/|$)/.test(prefix))
    return { kind: 's3', bucket, prefix: prefix.slice(1) };
  problems.push(
    'RAPSHEET_SAMPLES_URL must be file:<folder> or s3://<bucket>/<prefix>, with a bucket of 3 to 63 lower-case letters, digits, dots and hyphens',
  );
  return undefined;
}

/** Completes the location of the samples; by default a folder in the data folder. */
export function samplesLocation(
  url: SamplesUrl | undefined,
  data: SamplesSettings,
): SamplesLocation {
  if (url === undefined)
    return { kind: 'folder', folder: join(resolve(data.RAPSHEET_DATA_DIR), 'samples') };
  if (url.kind === 'folder') return url;
  const { RAPSHEET_S3_ACCESS_KEY_ID: accessKeyId, RAPSHEET_S3_SECRET_ACCESS_KEY: secretAccessKey } =
    data;
  return {
    ...url,
    endpoint: data.RAPSHEET_S3_ENDPOINT,
    region: data.RAPSHEET_S3_REGION,
    credentials:
      accessKeyId === undefined || secretAccessKey === undefined
        ? undefined
        : { accessKeyId, secretAccessKey },
  };
}

/** The mail server. */
export interface SmtpLocation {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte. */
  readonly secure: boolean;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
}

const SMTP_PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };
const SMTP_URL =
  /^smtps?:\/\/(?:[^\s/?#@:]+:[^\s/?#@:]+@)?(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?\/?$/i;

export function parseSmtpUrl(text: string): SmtpLocation | undefined {
  if (!SMTP_URL.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, username, password, hostname, port } = new URL(text);
  const credentials = { user: decoded(username), password: decoded(password) };
  if (credentials.user === undefined || credentials.password === undefined) return undefined;
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (SMTP_PORTS[protocol] ?? 0) : Number(port),
    secure: protocol === 'smtps:',
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
