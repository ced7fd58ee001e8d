import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { type AccountLimits, accountLimitsOf } from './domain/account-limits.ts';
import { parseSecretKey } from './domain/secret-key.ts';
import { parseNetwork } from './domain/service.ts';
import { isToken } from './domain/token.ts';
import { trimEndOf } from './domain/trim.ts';
import {
  type DatabasePlace,
  readDatabaseUrl,
  readSamplesUrl,
  type SamplesPlace,
  samplesPlace,
} from './places.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const CHANGES_KEPT_DAYS = 365;
const DATABASE_POOL = 10;
const UPLOAD_LIMIT_BYTES = 100 * 1024 * 1024;
/** A worker has memory for so much and what it unpacks; beyond that most analyses would end without a report. */
const MAX_UPLOAD_LIMIT_BYTES = 256 * 1024 * 1024;

/**
 * Every setting: how it is read, what it is when absent, and what it is for. The table in
 * `docs/operations/configuration.md` is generated from this.
 */
const settings = {
  RAPSHEET_PORT: port(8080, 'The port to listen on; 0 takes a free one'),
  RAPSHEET_HOST: z.string().min(1).default('127.0.0.1').describe('The address to listen on'),
  RAPSHEET_BASE_URL: url('Where the feeds are reached from outside; where it listens by default'),
  RAPSHEET_ANALYSIS_URL: url(
    'Where the lookup is reached from outside; where it listens by default',
  ),
  RAPSHEET_DATA_DIR: z
    .string()
    .min(1)
    .default('./data')
    .describe('The folder for all that is kept'),
  RAPSHEET_DATABASE_URL: z
    .string()
    .optional()
    .describe(
      '`sqlite:<file>` or `postgres://<user>:<password>@<host>:<port>/<database>` (also `_FILE`); `rapsheet.db` in the data folder by default',
    ),
  RAPSHEET_DATABASE_POOL: whole(
    { from: 4, to: 200 },
    'How many connections to PostgreSQL each process has at most, besides three for the queue and one for news; 10 by default',
  ),
  RAPSHEET_HTTP_WORKERS: whole(
    { from: 1, to: 64 },
    'How many processes answer requests, on PostgreSQL alone; 1 by default',
  ),
  RAPSHEET_SAMPLES_URL: z
    .string()
    .optional()
    .describe(
      '`file:<folder>` or `s3://<bucket>/<prefix>` for uploaded samples, unrecognisable at rest; `samples` in the data folder by default',
    ),
  RAPSHEET_S3_ENDPOINT: url(
    'Where the bucket of samples is reached, if not at AWS; buckets are then part of the path',
  ),
  RAPSHEET_S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, 'must be the name of a region')
    .default('us-east-1')
    .describe('The region of the bucket'),
  RAPSHEET_S3_ACCESS_KEY_ID: z
    .string()
    .optional()
    .describe('The key for the bucket; by default what the machine or its role has'),
  RAPSHEET_S3_SECRET_ACCESS_KEY: z
    .string()
    .optional()
    .describe('The secret of that key (also `_FILE`)'),
  RAPSHEET_UPLOAD_LIMIT_BYTES: whole(
    { from: 1, to: MAX_UPLOAD_LIMIT_BYTES },
    'The largest file that may be uploaded; 104857600 (100 MiB) by default',
  ),
  RAPSHEET_ACCOUNT_UPLOADS: whole(
    { from: 0, to: 10_000 },
    'How many uploads, and how many batches of reports, one account may have under way at once in each process; 8 by default, 0 for no limit',
  ),
  RAPSHEET_ACCOUNT_STREAMS: whole(
    { from: 0, to: 10_000 },
    'How many streams one account may have open in each process; 100 by default, 0 for no limit',
  ),
  RAPSHEET_ACCOUNT_WEBSOCKETS: whole(
    { from: 0, to: 10_000 },
    'How many WebSockets one account may have open in each process; 20 by default, 0 for no limit',
  ),
  RAPSHEET_ACCOUNT_TOKENS: whole(
    { from: 0, to: 1_000_000 },
    'How many tokens one account may have that are neither revoked nor expired; 100 by default, 0 for no limit',
  ),
  RAPSHEET_ACCOUNT_STORED_BYTES: whole(
    { from: 0, to: 999_999_999_999 },
    'How many bytes of samples one account may store; 53687091200 (50 GiB) by default, 0 for no limit',
  ),
  RAPSHEET_ACCOUNT_CREATES_PER_MINUTE: whole(
    { from: 0, to: 1_000_000_000 },
    'How many reports one account may create a minute in each process, lines of batches included; 6000 by default, 0 for no limit',
  ),
  RAPSHEET_ACCOUNT_CREATES_BURST: whole(
    { from: 1, to: 1_000_000_000 },
    'How many reports one account that was idle may create at once before that; 20000 by default',
  ),
  RAPSHEET_ACCOUNT_UPLOADS_PER_MINUTE: whole(
    { from: 0, to: 1_000_000_000 },
    'How many uploads one account may begin a minute in each process; 600 by default, 0 for no limit',
  ),
  RAPSHEET_ANALYSIS_WORKERS: whole(
    { from: 0, to: 64 },
    'How many samples are analysed at once; 0 leaves them to others; one fewer than processors by default',
  ),
  RAPSHEET_RULES_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('A folder with YARA rules of your own, besides those that come with the service'),
  RAPSHEET_COMPAT_WEBSOCKET: z
    .enum(['0', '1'], 'must be 0 or 1')
    .default('0')
    .describe(
      '1 opens `GET /websocket`, by which older clients ask whether a file is known; it puts a token into a URL',
    ),
  RAPSHEET_CHANGES_KEPT_DAYS: whole(
    { from: 1, to: 36_500 },
    'How long readers of a feed may stay away: older changes and the tombstones of deleted reports are forgotten; 365 by default',
  ),
  RAPSHEET_WEBHOOK_ALLOW_HTTP: z
    .enum(['0', '1'], 'must be 0 or 1')
    .default('0')
    .describe('1 lets webhooks go to plain http addresses'),
  RAPSHEET_WEBHOOK_ALLOW_NETWORKS: networks(
    'Private networks that webhooks may go to, separated by commas; none by default',
  ),
  RAPSHEET_SECRET_KEY: z
    .string()
    .refine(
      (text) => parseSecretKey(text) !== undefined,
      'must be 32 bytes, as 64 hexadecimal digits or as base64',
    )
    .optional()
    .describe(
      'The key that seals the secrets of webhooks at rest; one in `secret-key` in the data folder by default (also `_FILE`)',
    ),
  RAPSHEET_ADMIN_TOKEN: z
    .string()
    .refine(isToken, 'must be a token of our form: make one with `rapsheet token generate`')
    .optional()
    .describe(
      'The token of the account `admin` that the first start makes; a new one by default (also `_FILE`)',
    ),
  RAPSHEET_TRUST_PROXY: list()
    .refine(
      (proxies) => proxies.every(isProxy),
      'must be addresses and networks, separated by commas',
    )
    .describe(
      'Whose `X-Forwarded-For` to believe: addresses and networks, separated by commas; nobody’s by default',
    ),
  RAPSHEET_MEMORY_BUDGET_BYTES: whole(
    { from: 4 * 1024 * 1024, to: 64 * 1024 ** 3 },
    'The most memory that each process holds for its callers (bodies, unread answers, streams, uploads) before it refuses more; an eighth of the heap or the machine, at most 96 MiB, by default',
  ),
  RAPSHEET_CONNECTIONS: whole(
    { from: 10, to: 1_000_000 },
    'How many connections each process takes at once; 10000 by default, fewer where the system allows fewer open files',
  ),
  RAPSHEET_CONNECTIONS_PER_ADDRESS: whole(
    { from: 1, to: 1_000_000 },
    'How many of them from one address, or one /64 of IPv6; proxies in `RAPSHEET_TRUST_PROXY` are not limited; 2000 by default',
  ),
  RAPSHEET_WRITE_TIMEOUT_SECONDS: whole(
    { from: 1, to: 3600 },
    'After how long a connection is closed whose caller accepts nothing of its answer; 30 by default',
  ),
  RAPSHEET_METRICS_PORT: port(9464, 'The loopback port for `/metrics`; 0 turns it off'),
  RAPSHEET_LOG_LEVEL: z
    .enum(LEVELS)
    .default('info')
    .describe(`How much is logged: ${LEVELS.join(', ')}; \`debug\` has a line for every request`),
  RAPSHEET_CONFIG_FILE: z
    .string()
    .optional()
    .describe('A file of `NAME=value` lines for any of these; the environment wins'),
};

/** What commands read that call a server instead of working on its store. */
const clientSettings = {
  RAPSHEET_URL: url('')
    .transform((text) => text ?? 'http://127.0.0.1:8080')
    .describe('Where the server is'),
  RAPSHEET_TOKEN: z
    .string()
    .refine(isToken, 'is not a token: it is cut or mistyped')
    .optional()
    .describe('The token that is sent (also `_FILE`)'),
};

const schema = z.object(settings);
const clientSchema = z.object({
  ...clientSettings,
  RAPSHEET_DATA_DIR: settings.RAPSHEET_DATA_DIR,
});

export interface Config {
  readonly port: number;
  readonly host: string;
  /** Without a slash at the end; `undefined`: wherever it turns out to listen. */
  readonly baseUrl: string | undefined;
  readonly analysisUrl: string | undefined;
  readonly dataDir: string;
  readonly database: DatabasePlace;
  /** How many connections to PostgreSQL each process may have. */
  readonly databasePool: number;
  readonly httpWorkers: number;
  readonly samples: SamplesPlace;
  readonly uploadLimitBytes: number;
  readonly accountLimits: AccountLimits;
  readonly analysisWorkers: number;
  readonly rulesFolder: string | undefined;
  readonly compatWebSocket: boolean;
  readonly changesKeptDays: number;
  readonly webhookAllowHttp: boolean;
  readonly webhookAllowNetworks: readonly string[];
  /** `undefined`: the one in the data folder. */
  readonly secretKey: Uint8Array | undefined;
  /** Where programs of the system are looked for. */
  readonly programPath: string;
  readonly adminToken: string | undefined;
  readonly trustProxy: readonly string[];
  /** Where they are set; the server has defaults of its own. */
  readonly limits: {
    readonly memoryBytes?: number;
    readonly connections?: number;
    readonly connectionsPerAddress?: number;
    readonly writeTimeoutMs?: number;
  };
  readonly metricsPort: number;
  readonly logLevel: (typeof LEVELS)[number];
}

export interface ClientConfig {
  readonly url: string;
  readonly token: string | undefined;
  /** Where the token of the account `admin` lies, if the server is this machine's. */
  readonly dataDir: string;
}

/** Everything that is wrong with the settings, each line with the name of its variable. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What may also be given as the name of a file that holds it. */
const SECRETS = [
  'RAPSHEET_ADMIN_TOKEN',
  'RAPSHEET_DATABASE_URL',
  'RAPSHEET_SECRET_KEY',
  'RAPSHEET_S3_SECRET_ACCESS_KEY',
];

const ONE_WRITER =
  'RAPSHEET_HTTP_WORKERS must be 1 on SQLite, which lets one process write at a time: more would only wait for each other. For more, set RAPSHEET_DATABASE_URL to a PostgreSQL database (`rapsheet migrate` moves what is there)';

export function readConfig(environment: Environment = process.env): Config {
  const problems: string[] = [];
  const values = readValues(environment, SECRETS, problems);
  const result = schema.safeParse(values);
  problems.push(...problemsOf(result));
  const dataDir = values['RAPSHEET_DATA_DIR'] ?? './data';
  const database = readDatabaseUrl(values, dataDir, problems);
  const samples = readSamplesUrl(values, problems);
  if (database.kind === 'sqlite' && Number(values['RAPSHEET_HTTP_WORKERS'] ?? 1) > 1)
    problems.push(ONE_WRITER);
  if (problems.length > 0 || !result.success) throw new ConfigError(problems);
  const { data } = result;
  return Object.freeze({
    port: data.RAPSHEET_PORT,
    host: data.RAPSHEET_HOST,
    baseUrl: data.RAPSHEET_BASE_URL,
    analysisUrl: data.RAPSHEET_ANALYSIS_URL,
    dataDir: resolve(data.RAPSHEET_DATA_DIR),
    database,
    databasePool: data.RAPSHEET_DATABASE_POOL ?? DATABASE_POOL,
    httpWorkers: data.RAPSHEET_HTTP_WORKERS ?? 1,
    samples: samplesPlace(samples, data),
    uploadLimitBytes: data.RAPSHEET_UPLOAD_LIMIT_BYTES ?? UPLOAD_LIMIT_BYTES,
    accountLimits: accountLimitsOf({
      uploads: data.RAPSHEET_ACCOUNT_UPLOADS,
      streams: data.RAPSHEET_ACCOUNT_STREAMS,
      webSockets: data.RAPSHEET_ACCOUNT_WEBSOCKETS,
      tokens: data.RAPSHEET_ACCOUNT_TOKENS,
      storedBytes: data.RAPSHEET_ACCOUNT_STORED_BYTES,
      createsPerMinute: data.RAPSHEET_ACCOUNT_CREATES_PER_MINUTE,
      createsBurst: data.RAPSHEET_ACCOUNT_CREATES_BURST,
      uploadsPerMinute: data.RAPSHEET_ACCOUNT_UPLOADS_PER_MINUTE,
    }),
    // The API keeps a processor for itself.
    analysisWorkers: data.RAPSHEET_ANALYSIS_WORKERS ?? Math.max(1, availableParallelism() - 1),
    rulesFolder: data.RAPSHEET_RULES_DIR && resolve(data.RAPSHEET_RULES_DIR),
    compatWebSocket: data.RAPSHEET_COMPAT_WEBSOCKET === '1',
    changesKeptDays: data.RAPSHEET_CHANGES_KEPT_DAYS ?? CHANGES_KEPT_DAYS,
    webhookAllowHttp: data.RAPSHEET_WEBHOOK_ALLOW_HTTP === '1',
    webhookAllowNetworks: data.RAPSHEET_WEBHOOK_ALLOW_NETWORKS,
    secretKey: parseSecretKey(data.RAPSHEET_SECRET_KEY ?? ''),
    programPath: environment['PATH'] ?? '/usr/bin:/bin',
    adminToken: data.RAPSHEET_ADMIN_TOKEN,
    trustProxy: data.RAPSHEET_TRUST_PROXY,
    limits: limitsOf(data),
    metricsPort: data.RAPSHEET_METRICS_PORT,
    logLevel: data.RAPSHEET_LOG_LEVEL,
  });
}

function limitsOf(data: z.output<typeof schema>): Config['limits'] {
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
  const result = clientSchema.safeParse(readValues(environment, ['RAPSHEET_TOKEN'], problems));
  problems.push(...problemsOf(result));
  if (problems.length > 0 || !result.success) throw new ConfigError(problems);
  const { RAPSHEET_URL, RAPSHEET_TOKEN, RAPSHEET_DATA_DIR } = result.data;
  return Object.freeze({
    url: RAPSHEET_URL,
    token: RAPSHEET_TOKEN,
    dataDir: resolve(RAPSHEET_DATA_DIR),
  });
}

interface SettingDescription {
  readonly name: string;
  readonly fallback: string;
  readonly purpose: string;
}

/** Where it listens according to the settings; a free port is known only later. */
export function listenUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** For the documentation: name, default and purpose of each setting. */
export function describeSettings(): readonly SettingDescription[] {
  return describe(settings);
}

export function describeClientSettings(): readonly SettingDescription[] {
  return describe(clientSettings);
}

function describe(described: Readonly<Record<string, z.ZodType>>): readonly SettingDescription[] {
  return Object.entries(described).map(([name, setting]) => {
    const fallback = setting.safeParse(undefined);
    const shown = fallback.success && fallback.data !== undefined ? String(fallback.data) : '';
    return { name, fallback: shown, purpose: setting.description ?? '' };
  });
}

function port(fallback: number, purpose: string) {
  const message = 'must be a port from 0 to 65535';
  return z
    .string()
    .regex(/^[0-9]{1,5}$/, message)
    .transform(Number)
    .pipe(z.int().max(65_535, message))
    .default(fallback)
    .describe(purpose);
}

function whole({ from, to }: { readonly from: number; readonly to: number }, purpose: string) {
  const message = `must be a whole number from ${from} to ${to}`;
  return z
    .string()
    .regex(/^[0-9]{1,12}$/, message)
    .transform(Number)
    .pipe(z.int().min(from, message).max(to, message))
    .optional()
    .describe(purpose);
}

function networks(purpose: string) {
  return list()
    .refine(
      (all) => all.every((network) => parseNetwork(network) !== undefined),
      'must be networks, separated by commas',
    )
    .describe(purpose);
}

/** What stands between commas. */
function list() {
  return z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    );
}

function url(purpose: string) {
  return z
    .string()
    .refine(
      (text) => /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/.test(text) && URL.canParse(text),
      'must be an http or https URL',
    )
    .transform((text) => trimEndOf(text, '/'))
    .optional()
    .describe(purpose);
}

/** What the server takes as a proxy to be trusted; with anything else it would not start. */
function isProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text) || isIP(text) !== 0) return true;
  return parseNetwork(text) !== undefined && !text.endsWith('/0');
}

function defined(environment: Environment): Environment {
  // An empty value is how many tools unset a variable.
  return Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
}

function readValues(
  environment: Environment,
  secrets: readonly string[],
  problems: string[],
): Environment {
  const values = { ...readConfigFile(environment, problems), ...defined(environment) };
  return secrets.reduce<Environment>((all, name) => withSecretFile(all, name, problems), values);
}

function readConfigFile(environment: Environment, problems: string[]): Environment {
  const file = environment['RAPSHEET_CONFIG_FILE'];
  if (file === undefined || file === '') return {};
  return defined(parseEnv(readText('RAPSHEET_CONFIG_FILE', file, problems) ?? ''));
}

/** A secret may also be given as `…_FILE`, the name of a file that holds it. */
function withSecretFile(environment: Environment, name: string, problems: string[]): Environment {
  const file = environment[`${name}_FILE`];
  if (file === undefined) return environment;
  if (environment[name] !== undefined)
    problems.push(`${name} and ${name}_FILE are both set: set one of them`);
  return { ...environment, [name]: readText(`${name}_FILE`, file, problems)?.trim() };
}

function problemsOf({ error }: { readonly error?: z.ZodError | undefined }): readonly string[] {
  return (error?.issues ?? []).map(({ path, message }) => `${String(path[0])} ${message}`);
}

function readText(name: string, file: string, problems: string[]): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    problems.push(`${name} names a file that cannot be read: ${file}`);
    return undefined;
  }
}
