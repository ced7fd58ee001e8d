import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { defaultConfigDir } from './config/config-folder.ts';
import type { ConfigValues } from './config/config-values.ts';
import { ConfigError, type Environment, readValues } from './config/environment.ts';
import {
  parseSmtpUrl,
  readDatabaseUrl,
  readSamplesUrl,
  samplesLocation,
} from './config/locations.ts';
import { readProgramPath } from './config/program-path.ts';
import { clientSettings, settings } from './config/settings.ts';
import { type SettingInForce, settingsInForce } from './config/settings-in-force.ts';
import { unknownSettings } from './config/unknown-settings.ts';
import { type AccountLimits, accountLimitsOf } from './domain/accounts/account-limits.ts';
import { parseMailAddress } from './domain/mail/mail-settings.ts';
import { parseSecretKey } from './domain/secret-key.ts';

const UPLOAD_LIMIT_BYTES = 100 * 1024 * 1024;
const DATABASE_POOL = 10;
const CHANGES_KEPT_DAYS = 365;
const EXPORTS_MAX_BYTES = 8 * 1024 ** 3;
const SURICATA_FIRST_SID = 90_000_000;

const schema = z.object(settings);
const clientSchema = z.object({
  ...clientSettings,
  RAPSHEET_DATA_DIR: settings.RAPSHEET_DATA_DIR,
});

export interface Config extends ConfigValues {
  /** All settings as text, without secrets. */
  readonly settings: readonly SettingInForce[];
  /** Variables that look like settings and have no effect. */
  readonly unknownSettings: readonly string[];
}

export interface ClientConfig {
  readonly url: string | undefined;
  readonly token: string | undefined;
  /** The setting that the token comes from. */
  readonly tokenSetting: 'RAPSHEET_TOKEN' | 'RAPSHEET_TOKEN_FILE';
  readonly profile: string | undefined;
  /** The folder of the profiles. */
  readonly configDir: string;
  /** If the server runs on this machine, the folder with the token of the account `admin`. */
  readonly dataDir: string;
}

/** Settings that may also be given as `<name>_FILE`, the name of a file that holds the value. */
const SECRETS = [
  'RAPSHEET_ADMIN_TOKEN',
  'RAPSHEET_DATABASE_URL',
  'RAPSHEET_SECRET_KEY',
  'RAPSHEET_S3_SECRET_ACCESS_KEY',
  'RAPSHEET_SMTP_URL',
];
const CLIENT_SECRETS = ['RAPSHEET_TOKEN'];

const ONE_WRITER =
  'RAPSHEET_HTTP_WORKERS must be 1 on SQLite, which has one writer at a time. For more, set RAPSHEET_DATABASE_URL to a PostgreSQL database (`rapsheet migrate` moves the data)';

export function readConfig(environment: Environment = process.env): Config {
  const problems: string[] = [];
  const values = readValues(environment, SECRETS, problems);
  const result = schema.safeParse(values);
  problems.push(...problemsOf(result));
  const dataDir = values['RAPSHEET_DATA_DIR'] ?? './data';
  const database = readDatabaseUrl(values, dataDir, problems);
  const samples = readSamplesUrl(values, problems);
  problems.push(...contradictions(values, database));
  if (problems.length > 0 || !result.success) throw new ConfigError(problems);
  const { data } = result;
  const config = {
    port: data.RAPSHEET_PORT,
    host: data.RAPSHEET_HOST,
    baseUrl: data.RAPSHEET_BASE_URL,
    analysisUrl: data.RAPSHEET_ANALYSIS_URL,
    dataDir: resolve(data.RAPSHEET_DATA_DIR),
    database,
    databasePool: data.RAPSHEET_DATABASE_POOL ?? DATABASE_POOL,
    httpWorkers: data.RAPSHEET_HTTP_WORKERS ?? 1,
    samples: samplesLocation(samples, data),
    uploadLimitBytes: data.RAPSHEET_UPLOAD_LIMIT_BYTES ?? UPLOAD_LIMIT_BYTES,
    accountLimits: accountLimits(data),
    // One processor is left for the API.
    analysisWorkers: data.RAPSHEET_ANALYSIS_WORKERS ?? Math.max(1, availableParallelism() - 1),
    localWorkers: data.RAPSHEET_ANALYSIS_WORKERS || availableParallelism(),
    rulesFolder: data.RAPSHEET_RULES_DIR && resolve(data.RAPSHEET_RULES_DIR),
    compatWebSocket: data.RAPSHEET_COMPAT_WEBSOCKET === '1',
    changesKeptDays: data.RAPSHEET_CHANGES_KEPT_DAYS ?? CHANGES_KEPT_DAYS,
    ...exportSettings(data),
    webhookAllowHttp: data.RAPSHEET_WEBHOOK_ALLOW_HTTP === '1',
    webhookAllowNetworks: data.RAPSHEET_WEBHOOK_ALLOW_NETWORKS,
    dnsResolver: data.RAPSHEET_DNS_RESOLVER,
    wellKnownPort: data.RAPSHEET_WELL_KNOWN_PORT,
    secretKey: parseSecretKey(data.RAPSHEET_SECRET_KEY ?? ''),
    mail: mailConfig(data),
    programPath: readProgramPath(environment),
    adminToken: data.RAPSHEET_ADMIN_TOKEN,
    trustProxy: data.RAPSHEET_TRUST_PROXY,
    corsOrigins: data.RAPSHEET_CORS_ORIGINS,
    limits: serverLimits(data),
    metricsPort: data.RAPSHEET_METRICS_PORT,
    metricsHost: data.RAPSHEET_METRICS_HOST,
    logLevel: data.RAPSHEET_LOG_LEVEL,
  };
  return Object.freeze({
    ...config,
    settings: settingsInForce(config, { environment, values }),
    unknownSettings: unknownSettings(values, [...SECRETS, ...CLIENT_SECRETS]),
  });
}

/** Settings that are right alone and wrong together. */
function contradictions(
  values: Readonly<Record<string, string | undefined>>,
  database: ConfigValues['database'],
): readonly string[] {
  const isSet = (name: string) => values[name] !== undefined;
  const problems: string[] = [];
  if (database.kind === 'sqlite' && Number(values['RAPSHEET_HTTP_WORKERS'] ?? 1) > 1)
    problems.push(ONE_WRITER);
  if (isSet('RAPSHEET_SMTP_URL') !== isSet('RAPSHEET_MAIL_FROM'))
    problems.push('RAPSHEET_SMTP_URL and RAPSHEET_MAIL_FROM must be set together');
  return problems;
}

function exportSettings(data: z.output<typeof schema>) {
  return {
    exportsMaxBytes: data.RAPSHEET_EXPORTS_MAX_BYTES ?? EXPORTS_MAX_BYTES,
    suricataFirstSid: data.RAPSHEET_SURICATA_FIRST_SID ?? SURICATA_FIRST_SID,
    allowList: data.RAPSHEET_ALLOW_LIST,
  };
}

function accountLimits(data: z.output<typeof schema>): AccountLimits {
  return accountLimitsOf({
    uploads: data.RAPSHEET_ACCOUNT_UPLOADS,
    streams: data.RAPSHEET_ACCOUNT_STREAMS,
    webSockets: data.RAPSHEET_ACCOUNT_WEBSOCKETS,
    exports: data.RAPSHEET_ACCOUNT_EXPORTS,
    tokens: data.RAPSHEET_ACCOUNT_TOKENS,
    storedBytes: data.RAPSHEET_ACCOUNT_STORED_BYTES,
    statusBytes: data.RAPSHEET_ACCOUNT_STATUS_BYTES,
    createsPerMinute: data.RAPSHEET_ACCOUNT_CREATES_PER_MINUTE,
    createsBurst: data.RAPSHEET_ACCOUNT_CREATES_BURST,
    uploadsPerMinute: data.RAPSHEET_ACCOUNT_UPLOADS_PER_MINUTE,
  });
}

function mailConfig(data: z.output<typeof schema>): Config['mail'] {
  const server = parseSmtpUrl(data.RAPSHEET_SMTP_URL ?? '');
  const from = parseMailAddress(data.RAPSHEET_MAIL_FROM ?? '');
  return server === undefined || from === undefined ? undefined : { server, from };
}

function serverLimits(data: z.output<typeof schema>): Config['limits'] {
  const seconds = data.RAPSHEET_WRITE_TIMEOUT_SECONDS;
  const limits = {
    memoryBytes: data.RAPSHEET_MEMORY_BUDGET_BYTES,
    connections: data.RAPSHEET_CONNECTIONS,
    connectionsPerAddress: data.RAPSHEET_CONNECTIONS_PER_ADDRESS,
    writeTimeoutMs: seconds === undefined ? undefined : seconds * 1000,
  };
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}

export function readClientConfig(environment: Environment = process.env): ClientConfig {
  const problems: string[] = [];
  const values = readValues(environment, CLIENT_SECRETS, problems);
  const result = clientSchema.safeParse(values);
  problems.push(...problemsOf(result));
  if (problems.length > 0 || !result.success) throw new ConfigError(problems);
  const { data } = result;
  return Object.freeze({
    url: data.RAPSHEET_URL,
    token: data.RAPSHEET_TOKEN,
    tokenSetting:
      values['RAPSHEET_TOKEN_FILE'] === undefined ? 'RAPSHEET_TOKEN' : 'RAPSHEET_TOKEN_FILE',
    profile: data.RAPSHEET_PROFILE,
    configDir: resolve(data.RAPSHEET_CONFIG_DIR ?? defaultConfigDir(environment)),
    dataDir: resolve(data.RAPSHEET_DATA_DIR),
  });
}

/** The URL of the settings. With port 0, the actual port is known only after listening. */
export function listenUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function problemsOf({ error }: { readonly error?: z.ZodError | undefined }): readonly string[] {
  return (error?.issues ?? []).map(({ path, message }) => `${String(path[0])} ${message}`);
}
