import type { ConfigValues } from './config-values.ts';
import { describeSettings } from './describe-settings.ts';
import type { Environment } from './environment.ts';

/** A setting as this process uses it. */
export interface SettingInForce {
  readonly name: string;
  /** `undefined` for a secret, and for a default that only `purpose` describes. */
  readonly value: string | undefined;
  readonly source: SettingSource;
  readonly isSecret: boolean;
  readonly purpose: string;
}

export type SettingSource = 'environment' | 'config file' | 'secret file' | 'default';

/** Their values are never shown. A database URL is shown without its password. */
const SECRET_SETTINGS = [
  'RAPSHEET_ADMIN_TOKEN',
  'RAPSHEET_SECRET_KEY',
  'RAPSHEET_S3_ACCESS_KEY_ID',
  'RAPSHEET_S3_SECRET_ACCESS_KEY',
  'RAPSHEET_SMTP_URL',
];

interface Sources {
  readonly environment: Environment;
  /** The settings from all sources, by name. */
  readonly values: Environment;
}

export function settingsInForce(
  config: ConfigValues,
  { environment, values }: Sources,
): readonly SettingInForce[] {
  const inForce = valuesOf(config);
  return describeSettings().map(({ name, fallback, purpose }) => {
    const isSecret = SECRET_SETTINGS.includes(name);
    const given = inForce[name] ?? values[name] ?? fallback;
    return {
      name,
      value: isSecret || given === '' ? undefined : given,
      source: sourceOf(name, environment, values),
      isSecret,
      purpose,
    };
  });
}

function sourceOf(name: string, environment: Environment, values: Environment): SettingSource {
  if (values[name] === undefined) return 'default';
  if (isGiven(environment[name])) return 'environment';
  return isGiven(values[`${name}_FILE`]) ? 'secret file' : 'config file';
}

function isGiven(text: string | undefined): boolean {
  return text !== undefined && text !== '';
}

/** Values that differ from the text of the setting, or are known although it is not set. */
function valuesOf(config: ConfigValues): Environment {
  const { accountLimits: limits } = config;
  const known = {
    RAPSHEET_DATA_DIR: config.dataDir,
    RAPSHEET_DATABASE_URL: databaseText(config.database),
    RAPSHEET_DATABASE_POOL: config.databasePool,
    RAPSHEET_HTTP_WORKERS: config.httpWorkers,
    RAPSHEET_SAMPLES_URL: samplesText(config.samples),
    RAPSHEET_UPLOAD_LIMIT_BYTES: config.uploadLimitBytes,
    RAPSHEET_ACCOUNT_UPLOADS: limits.uploads,
    RAPSHEET_ACCOUNT_STREAMS: limits.streams,
    RAPSHEET_ACCOUNT_WEBSOCKETS: limits.webSockets,
    RAPSHEET_ACCOUNT_EXPORTS: limits.exports,
    RAPSHEET_ACCOUNT_TOKENS: limits.tokens,
    RAPSHEET_ACCOUNT_STORED_BYTES: limits.storedBytes,
    RAPSHEET_ACCOUNT_STATUS_BYTES: limits.statusBytes,
    RAPSHEET_ACCOUNT_CREATES_PER_MINUTE: limits.createRate.perMinute,
    RAPSHEET_ACCOUNT_CREATES_BURST: limits.createRate.burst,
    RAPSHEET_ACCOUNT_UPLOADS_PER_MINUTE: limits.uploadRate.perMinute,
    RAPSHEET_ANALYSIS_WORKERS: config.analysisWorkers,
    RAPSHEET_RULES_DIR: config.rulesFolder,
    RAPSHEET_CHANGES_KEPT_DAYS: config.changesKeptDays,
    RAPSHEET_EXPORTS_MAX_BYTES: config.exportsMaxBytes,
    RAPSHEET_ALLOW_LIST: config.allowList.join(',') || undefined,
    RAPSHEET_SURICATA_FIRST_SID: config.suricataFirstSid,
  };
  const shown = Object.entries(known).filter(
    // Without a limit the setting is 0, which is its text.
    ([, value]) => value !== undefined && value !== Number.MAX_SAFE_INTEGER,
  );
  return Object.fromEntries(shown.map(([name, value]) => [name, String(value)]));
}

/** Without the password, and without parameters, which may hold one. */
function databaseText(database: ConfigValues['database']): string {
  if (database.kind === 'sqlite') return `sqlite:${database.file}`;
  const { username, host, pathname } = new URL(database.url);
  return `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`;
}

function samplesText(samples: ConfigValues['samples']): string {
  if (samples.kind === 'folder') return `file:${samples.folder}`;
  return `s3://${[samples.bucket, samples.prefix].filter(Boolean).join('/')}`;
}
