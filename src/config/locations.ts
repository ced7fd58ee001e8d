import { join, resolve } from 'node:path';

/** Where things are kept, as the settings name it. */

/** `sqlite:` in this process, or a server of its own for any number of processes. */
export type DatabaseLocation =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** A bucket for samples. */
export interface BucketLocation {
  readonly kind: 's3';
  readonly bucket: string;
  /** Without slashes at its ends; may be empty. */
  readonly prefix: string;
  /** `undefined`: AWS. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** `undefined`: those of the machine or its role. */
  readonly credentials:
    | { readonly accessKeyId: string; readonly secretAccessKey: string }
    | undefined;
}

export type SamplesLocation = { readonly kind: 'folder'; readonly folder: string } | BucketLocation;

type Environment = Readonly<Record<string, string | undefined>>;

interface SamplesSettings {
  readonly RAPSHEET_DATA_DIR: string;
  readonly RAPSHEET_S3_ENDPOINT?: string | undefined;
  readonly RAPSHEET_S3_REGION: string;
  readonly RAPSHEET_S3_ACCESS_KEY_ID?: string | undefined;
  readonly RAPSHEET_S3_SECRET_ACCESS_KEY?: string | undefined;
}

const POSTGRES_URL = /^postgres(?:ql)?:\/\/[^\s]+$/;

/** A database by its address; `undefined` where it is none. */
export function parseDatabaseUrl(text: string): DatabaseLocation | undefined {
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(text)?.[1];
  if (file !== undefined && /[^/]/.test(file)) return { kind: 'sqlite', file: resolve(file) };
  const isPostgres = POSTGRES_URL.test(text) && URL.canParse(text);
  return isPostgres && new URL(text).pathname.length > 1
    ? { kind: 'postgres', url: text }
    : undefined;
}

/** The one in the settings, or else a file in the data folder. */
export function readDatabaseUrl(
  environment: Environment,
  dataDir: string,
  problems: string[],
): DatabaseLocation {
  const text = environment['RAPSHEET_DATABASE_URL'];
  const place = text === undefined ? undefined : parseDatabaseUrl(text);
  if (text !== undefined && place === undefined)
    problems.push(
      'RAPSHEET_DATABASE_URL must be sqlite:<file> or postgres://<user>:<password>@<host>:<port>/<database>, with signs such as @ : / ? # in the password written as %40 %3A %2F %3F %23',
    );
  return place ?? { kind: 'sqlite', file: join(resolve(dataDir), 'rapsheet.db') };
}

/** A bucket, as its makers name it, and what keys of objects may hold without being written in another way. */
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
  // Some stores take such a key for a path, and go up.
  if (bucket !== undefined && !/\/\.{1,2}(?:\/|$)/.test(prefix))
    return { kind: 's3', bucket, prefix: prefix.slice(1) };
  problems.push('RAPSHEET_SAMPLES_URL must be file:<folder> or s3://<bucket>/<prefix>');
  return undefined;
}

/** Where samples lie: at that address, or else in the data folder. */
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
