import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigError, type Environment, readTexts } from './config/environment.ts';
import {
  DATABASE_FILE,
  type DatabaseLocation,
  defaultConfigDir,
  formatDatabaseUrl,
  formatSamplesUrl,
  SAMPLES_FOLDER,
  samplesLocation,
} from './config/locations.ts';
import { readProgramPath } from './config/program-path.ts';
import {
  fileSettings,
  parseSettings,
  unknownSettings,
  type ValuesOf,
  withValues,
} from './config/read-settings.ts';
import { CLIENT_SETTINGS, SETTINGS } from './config/settings.ts';
import { inForce } from './config/settings-in-force.ts';
import { accountLimitsOf } from './domain/accounts/account-limits.ts';

/** The settings of a server, read and checked. `SETTINGS` says what each is for. */
export type Config = ReturnType<typeof readConfig>;
export type ClientConfig = ReturnType<typeof readClientConfig>;

type Values = ValuesOf<typeof SETTINGS>;

const CLIENT_TABLE = {
  ...CLIENT_SETTINGS,
  // If the server runs on this machine, the folder has the token of the account `admin`.
  dataDir: SETTINGS.dataDir,
};

const ONE_WRITER =
  'RAPSHEET_HTTP_WORKERS must be 1 on SQLite, which has one writer at a time. For more, set RAPSHEET_DATABASE_URL to a PostgreSQL database (`rapsheet migrate` moves the data)';

export function readConfig(environment: Environment = process.env) {
  const problems: string[] = [];
  const texts = readTexts(environment, fileSettings(SETTINGS), problems);
  const values = parseSettings(SETTINGS, texts, problems);
  const locations = locationsOf(values);
  problems.push(...contradictions(texts, values, locations.database));
  if (problems.length > 0) throw new ConfigError(problems);
  const { bucket: _, configFile: __, ...others } = values;
  return Object.freeze({
    ...others,
    ...locations,
    accountLimits: accountLimitsOf(values.accountLimits),
    limits: limitsOf(values),
    mail: mailOf(values),
    // Those of `rapsheet analyse`, beside which there is no API.
    localWorkers: Number(texts[SETTINGS.analysisWorkers.name]) || availableParallelism(),
    programPath: readProgramPath(environment),
    /** All settings as text, without secrets. */
    settings: withValues(SETTINGS, {
      ...values,
      dataDir: locations.dataDir,
      database: formatDatabaseUrl(locations.database),
      samples: formatSamplesUrl(locations.samples),
    }).map(([setting, value]) => inForce(setting, value, { environment, texts })),
    /** Variables that look like settings and have no effect. */
    unknownSettings: unknownSettings(texts),
  });
}

/** The folders and databases, whose defaults are in the data folder. */
function locationsOf(values: Values) {
  const dataDir = resolve(values.dataDir);
  const database: DatabaseLocation = values.database ?? {
    kind: 'sqlite',
    file: join(dataDir, DATABASE_FILE),
  };
  const samples = values.samples ?? { kind: 'folder', folder: join(dataDir, SAMPLES_FOLDER) };
  return { dataDir, database, samples: samplesLocation(samples, values.bucket) };
}

/** Settings that are valid alone and invalid together. */
function contradictions(
  texts: Environment,
  { httpWorkers }: Values,
  database: DatabaseLocation,
): readonly string[] {
  const isOneSet = (name: string, other: string) =>
    (texts[name] === undefined) !== (texts[other] === undefined);
  const problems: string[] = [];
  if (isOneSet('RAPSHEET_S3_ACCESS_KEY_ID', 'RAPSHEET_S3_SECRET_ACCESS_KEY'))
    problems.push(
      'RAPSHEET_S3_ACCESS_KEY_ID and RAPSHEET_S3_SECRET_ACCESS_KEY belong together: set both or neither',
    );
  if (database.kind === 'sqlite' && httpWorkers > 1) problems.push(ONE_WRITER);
  if (isOneSet('RAPSHEET_SMTP_URL', 'RAPSHEET_MAIL_FROM'))
    problems.push('RAPSHEET_SMTP_URL and RAPSHEET_MAIL_FROM belong together: set both or neither');
  return problems;
}

function limitsOf({ limits: { writeTimeoutSeconds, ...limits } }: Values) {
  return { ...limits, writeTimeoutMs: writeTimeoutSeconds * 1000 };
}

/** `undefined`: no mail is sent. */
function mailOf({ mail: { server, from } }: Values) {
  return server === undefined || from === undefined ? undefined : { server, from };
}

export function readClientConfig(environment: Environment = process.env) {
  const problems: string[] = [];
  const texts = readTexts(environment, fileSettings(CLIENT_TABLE), problems);
  const values = parseSettings(CLIENT_TABLE, texts, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze({
    ...values,
    /** The setting that the token comes from. */
    tokenSetting:
      texts['RAPSHEET_TOKEN_FILE'] === undefined ? 'RAPSHEET_TOKEN' : 'RAPSHEET_TOKEN_FILE',
    configDir: resolve(values.configDir ?? defaultConfigDir(environment)),
    dataDir: resolve(values.dataDir),
  });
}

/** The URL of the settings. With port 0, the actual port is known only after listening. */
export function listenUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
