import { availableParallelism, totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { z } from 'zod';
import { isToken } from '../domain/accounts/token.ts';
import { formatBytes } from '../domain/format-bytes.ts';
import { parseMailAddress } from '../domain/mail/mail-settings.ts';
import { parseAllowedHost } from '../domain/reports/allow-list.ts';
import { parseSecretKey } from '../domain/secret-key.ts';
import {
  DATABASE_FILE,
  parseDatabaseUrl,
  parseSamplesUrl,
  parseSmtpUrl,
  SAMPLES_FOLDER,
  SMTP_PORTS,
} from './locations.ts';
import {
  anyText,
  flag,
  folder,
  isNameServer,
  list,
  networks,
  parsed,
  parseOrigin,
  parseProxy,
  port,
  text,
  url,
  wholeNumber,
} from './setting-types.ts';

/** One setting. Everything that the program and its documents say of it comes from its row. */
export interface Setting {
  /** The variable. */
  readonly name: string;
  /** Parses the text of the variable. Its messages follow the name: `RAPSHEET_PORT must be …`. */
  readonly type: z.ZodType<unknown, string>;
  /** The value if the variable is not set. */
  readonly default?: unknown;
  /** The default in words, if it depends on the machine or on other settings, or is none. */
  readonly byDefault?: string;
  /** What it is for, in Markdown, without the default. */
  readonly text: string;
  /** The file in `src` that reads the value, which has the key of the row there. */
  readonly usedIn: string;
  /** Whether `<name>_FILE` may name a file that contains the value. */
  readonly file?: true;
  /** Whether the value is never shown. */
  readonly hidden?: true;
}

export interface SettingTable {
  readonly [key: string]: Setting | SettingTable;
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const MAX_BYTES = 999_999_999_999;
/** Larger files would mostly fail: a worker has memory for one of this size and its contents. */
const MAX_UPLOAD_LIMIT_BYTES = 256 * MIB;
const MIN_MEMORY_BYTES = 16 * MIB;
/** A larger budget makes nothing faster: a client that reads needs a few hundred kilobytes. */
const MAX_MEMORY_BYTES = 96 * MIB;

/**
 * The settings of a server, and of commands that open its store. The keys are those of `Config`.
 * To add a setting, add a row, read its value, and run `npm run generate`.
 */
export const SETTINGS = {
  port: {
    name: 'RAPSHEET_PORT',
    type: port,
    default: 8080,
    text: 'The port to listen on; 0 chooses a free port',
    usedIn: 'server/start-server.ts',
  },
  host: {
    name: 'RAPSHEET_HOST',
    type: anyText,
    default: '127.0.0.1',
    text: 'The address to listen on',
    usedIn: 'server/start-server.ts',
  },
  baseUrl: {
    name: 'RAPSHEET_BASE_URL',
    type: url,
    byDefault: 'the listen address',
    text: 'The public URL of the feeds',
    usedIn: 'server/open-dependencies.ts',
  },
  analysisUrl: {
    name: 'RAPSHEET_ANALYSIS_URL',
    type: url,
    byDefault: 'the listen address',
    text: 'The public URL of the lookup',
    usedIn: 'cli/output/greeting.ts',
  },
  dataDir: {
    name: 'RAPSHEET_DATA_DIR',
    type: anyText,
    default: './data',
    text: 'The folder for all data',
    usedIn: 'server/data-folders.ts',
  },
  database: {
    name: 'RAPSHEET_DATABASE_URL',
    type: parsed(
      parseDatabaseUrl,
      'must be sqlite:<file> or postgres://<user>:<password>@<host>:<port>/<database>, with the characters @ : / ? # in the password written as %40 %3A %2F %3F %23',
    ),
    byDefault: `\`${DATABASE_FILE}\` in the data folder`,
    text: '`sqlite:<file>` or `postgres://<user>:<password>@<host>:<port>/<database>`',
    usedIn: 'server/open-dependencies.ts',
    file: true,
  },
  databasePool: {
    name: 'RAPSHEET_DATABASE_POOL',
    type: wholeNumber(4, 200),
    default: 10,
    text: 'The largest number of connections of each process to PostgreSQL, in addition to three for the queue and one for notifications',
    usedIn: 'server/open-dependencies.ts',
  },
  httpWorkers: {
    name: 'RAPSHEET_HTTP_WORKERS',
    type: wholeNumber(1, 64),
    default: 1,
    text: 'The number of processes that serve HTTP; more than 1 needs PostgreSQL',
    usedIn: 'server/http-workers.ts',
  },
  samples: {
    name: 'RAPSHEET_SAMPLES_URL',
    type: parsed(
      parseSamplesUrl,
      'must be file:<folder> or s3://<bucket>/<prefix>, with a bucket of 3 to 63 lower-case letters, digits, dots and hyphens',
    ),
    byDefault: `\`${SAMPLES_FOLDER}\` in the data folder`,
    text: '`file:<folder>` or `s3://<bucket>/<prefix>` for uploaded samples, which are stored obfuscated',
    usedIn: 'server/data-folders.ts',
  },
  bucket: {
    endpoint: {
      name: 'RAPSHEET_S3_ENDPOINT',
      type: url,
      byDefault: 'AWS',
      text: 'The URL of the S3 service, if it is not AWS; path-style requests are used then',
      usedIn: 'sample-files/bucket.ts',
    },
    region: {
      name: 'RAPSHEET_S3_REGION',
      type: text((name) => /^[a-z0-9-]{1,64}$/.test(name), 'must be the name of a region'),
      default: 'us-east-1',
      text: 'The region of the bucket',
      usedIn: 'sample-files/bucket.ts',
    },
    accessKeyId: {
      name: 'RAPSHEET_S3_ACCESS_KEY_ID',
      type: anyText,
      byDefault: 'the credentials of the machine or its role',
      text: 'The access key for the bucket',
      usedIn: 'config/locations.ts',
      hidden: true,
    },
    secretAccessKey: {
      name: 'RAPSHEET_S3_SECRET_ACCESS_KEY',
      type: anyText,
      byDefault: 'none',
      text: 'The secret of that access key',
      usedIn: 'config/locations.ts',
      file: true,
      hidden: true,
    },
  },
  uploadLimitBytes: {
    name: 'RAPSHEET_UPLOAD_LIMIT_BYTES',
    type: wholeNumber(1, MAX_UPLOAD_LIMIT_BYTES),
    default: 100 * MIB,
    text: 'The size of the largest upload',
    usedIn: 'server/open-dependencies.ts',
  },
  accountLimits: {
    uploads: {
      name: 'RAPSHEET_ACCOUNT_UPLOADS',
      type: wholeNumber(0, 10_000),
      default: 8,
      text: 'The concurrent uploads, and the concurrent batches of reports, of one account in each process; 0 for no limit',
      usedIn: 'domain/accounts/account-limits.ts',
    },
    streams: {
      name: 'RAPSHEET_ACCOUNT_STREAMS',
      type: wholeNumber(0, 10_000),
      default: 100,
      text: 'The open streams of one account in each process; 0 for no limit',
      usedIn: 'domain/accounts/account-limits.ts',
    },
    webSockets: {
      name: 'RAPSHEET_ACCOUNT_WEBSOCKETS',
      type: wholeNumber(0, 10_000),
      default: 20,
      text: 'The open WebSockets of one account in each process; 0 for no limit',
      usedIn: 'domain/accounts/account-limits.ts',
    },
    exports: {
      name: 'RAPSHEET_ACCOUNT_EXPORTS',
      type: wholeNumber(0, 10_000),
      default: 8,
      text: 'The exports that one account waits for or reads at the same time in each process; 0 for no limit',
      usedIn: 'domain/accounts/account-limits.ts',
    },
    tokens: {
      name: 'RAPSHEET_ACCOUNT_TOKENS',
      type: wholeNumber(0, 1_000_000),
      default: 100,
      text: 'The tokens of one account that are neither revoked nor expired; 0 for no limit',
      usedIn: 'domain/accounts/account-limits.ts',
    },
    storedBytes: {
      name: 'RAPSHEET_ACCOUNT_STORED_BYTES',
      type: wholeNumber(0, MAX_BYTES),
      default: 50 * GIB,
      text: 'The bytes of samples that one account may store; 0 for no limit',
      usedIn: 'domain/accounts/account-limits.ts',
    },
    statusBytes: {
      name: 'RAPSHEET_ACCOUNT_STATUS_BYTES',
      type: wholeNumber(0, MAX_BYTES),
      // The statuses of some 140,000 objects.
      default: 32 * MIB,
      text: 'The bytes of the statuses of TAXII submissions that are kept for one account, for two days; 0 for no limit',
      usedIn: 'domain/accounts/account-limits.ts',
    },
    createsPerMinute: {
      name: 'RAPSHEET_ACCOUNT_CREATES_PER_MINUTE',
      type: wholeNumber(0, 1_000_000_000),
      default: 6000,
      text: 'The reports that one account may create per minute in each process, including lines of batches and objects submitted by TAXII; 0 for no limit',
      usedIn: 'domain/accounts/account-limits.ts',
    },
    createsBurst: {
      name: 'RAPSHEET_ACCOUNT_CREATES_BURST',
      type: wholeNumber(1, 1_000_000_000),
      // Two full batches.
      default: 20_000,
      text: 'The reports that an idle account may create at once before that rate applies',
      usedIn: 'domain/accounts/account-limits.ts',
    },
    uploadsPerMinute: {
      name: 'RAPSHEET_ACCOUNT_UPLOADS_PER_MINUTE',
      type: wholeNumber(0, 1_000_000_000),
      default: 600,
      text: 'The uploads that one account may start per minute in each process; 0 for no limit',
      usedIn: 'domain/accounts/account-limits.ts',
    },
  },
  analysisWorkers: {
    name: 'RAPSHEET_ANALYSIS_WORKERS',
    type: wholeNumber(0, 64),
    // One processor is left for the API.
    default: Math.max(1, availableParallelism() - 1),
    byDefault: 'one fewer than the processors',
    text: 'The number of samples that are analysed at once; 0 leaves them to other processes',
    usedIn: 'server/start-analyses.ts',
  },
  rulesFolder: {
    name: 'RAPSHEET_RULES_DIR',
    type: folder,
    byDefault: 'none',
    text: 'A folder with your own YARA rules, in addition to the built-in ones',
    usedIn: 'server/open-analyser.ts',
  },
  directoryFolder: {
    name: 'RAPSHEET_DIRECTORY',
    type: folder,
    byDefault: 'none',
    text: 'A folder with your own entries of the directory of providers; they win over the built-in ones',
    usedIn: 'server/load-directory.ts',
  },
  asnDatabase: {
    name: 'RAPSHEET_ASN_DB',
    type: folder,
    byDefault: 'none',
    text: 'An MMDB file with the autonomous systems of addresses, such as GeoLite2-ASN, DB-IP ASN Lite or IPinfo Lite; it is read at the start',
    usedIn: 'networks/open-network-tables.ts',
  },
  countryDatabase: {
    name: 'RAPSHEET_COUNTRY_DB',
    type: folder,
    byDefault: 'none',
    text: 'An MMDB file with the countries of addresses, such as GeoLite2-Country, DB-IP Country Lite or IPinfo Lite; it is read at the start',
    usedIn: 'networks/open-network-tables.ts',
  },
  compatWebSocket: {
    name: 'RAPSHEET_COMPAT_WEBSOCKET',
    type: flag,
    default: false,
    text: '1 enables `GET /websocket`, with which older clients ask whether a file is known; the token is then part of a URL',
    usedIn: 'server/start-server.ts',
  },
  changesKeptDays: {
    name: 'RAPSHEET_CHANGES_KEPT_DAYS',
    type: wholeNumber(1, 36_500),
    default: 365,
    text: 'How many days the changes of a feed and the tombstones of deleted reports are kept for its readers',
    usedIn: 'server/housekeeping.ts',
  },
  exportsMaxBytes: {
    name: 'RAPSHEET_EXPORTS_MAX_BYTES',
    type: wholeNumber(1_000_000, MAX_BYTES),
    default: 8 * GIB,
    text: 'The size of all exports that a process keeps in `exports` in the data folder',
    usedIn: 'server/exports/open-exports.ts',
  },
  suricataFirstSid: {
    name: 'RAPSHEET_SURICATA_FIRST_SID',
    type: wholeNumber(4_000_001, 4_000_000_000),
    default: 90_000_000,
    text: 'The number before the first Suricata rule of a report (`sid`); the 4,000,000 numbers before it are those of rules for whole feeds. A change renumbers all rules',
    usedIn: 'server/exports/open-exports.ts',
  },
  webhookAllowHttp: {
    name: 'RAPSHEET_WEBHOOK_ALLOW_HTTP',
    type: flag,
    default: false,
    text: '1 allows webhooks to plain http URLs, and proofs of ownership over plain http',
    usedIn: 'server/start-deliveries.ts',
  },
  webhookAllowNetworks: {
    name: 'RAPSHEET_WEBHOOK_ALLOW_NETWORKS',
    type: networks,
    default: [],
    byDefault: 'none',
    text: 'Private networks to which webhooks may be sent, and where proofs of ownership are read, separated by commas',
    usedIn: 'server/start-deliveries.ts',
  },
  dnsResolver: {
    name: 'RAPSHEET_DNS_RESOLVER',
    type: text(
      isNameServer,
      'must be an address, or an address and a port: 192.0.2.1:53, [::1]:53',
    ),
    byDefault: 'those of the system',
    text: 'The name server for the hosts of webhooks and of proofs of ownership, `<address>` or `<address>:<port>`',
    usedIn: 'server/start-deliveries.ts',
  },
  wellKnownPort: {
    name: 'RAPSHEET_WELL_KNOWN_PORT',
    type: wholeNumber(1024, 65_535),
    byDefault: 'that of https',
    text: 'The port at which proofs of ownership are read (`/.well-known/rapsheet`), for trials',
    usedIn: 'server/start-deliveries.ts',
  },
  allowList: {
    name: 'RAPSHEET_ALLOW_LIST',
    type: list(
      parseAllowedHost,
      'must be host names without a wildcard (they cover their subdomains), addresses and networks in CIDR notation, separated by commas',
    ),
    default: [],
    byDefault: 'none',
    text: 'Hosts that are no indicator in any format, block lists included: names, which cover their subdomains, addresses and networks, separated by commas',
    usedIn: 'server/exports/open-exports.ts',
  },
  secretKey: {
    name: 'RAPSHEET_SECRET_KEY',
    type: parsed(parseSecretKey, 'must be 32 bytes, as 64 hexadecimal digits or as base64'),
    byDefault: 'the one in `secret-key` in the data folder',
    text: 'The key that encrypts the stored secrets of webhooks',
    usedIn: 'server/secret-keys.ts',
    file: true,
    hidden: true,
  },
  mail: {
    server: {
      name: 'RAPSHEET_SMTP_URL',
      type: parsed(
        parseSmtpUrl,
        'must be smtp://<user>:<password>@<host>:<port> or smtps://…, with the characters @ : / ? # in the password written as %40 %3A %2F %3F %23',
      ),
      byDefault: 'no mail is sent',
      text: `The mail server for services that get their reports by mail: \`smtp://<user>:<password>@<host>:<port>\` (STARTTLS, port ${SMTP_PORTS['smtp:']} if none is given) or \`smtps://…\` (TLS, port ${SMTP_PORTS['smtps:']})`,
      usedIn: 'server/start-deliveries.ts',
      file: true,
      hidden: true,
    },
    from: {
      name: 'RAPSHEET_MAIL_FROM',
      type: parsed(parseMailAddress, 'must be a mail address'),
      byDefault: 'none',
      text: 'The address from which mail is sent, and which reports in XARF name for questions',
      usedIn: 'server/start-deliveries.ts',
    },
  },
  adminToken: {
    name: 'RAPSHEET_ADMIN_TOKEN',
    type: text(
      isToken,
      'must be a token in the format of Rapsheet: create one with `rapsheet token generate`',
    ),
    byDefault: 'a random one',
    text: 'The token of the account `admin` that the first start creates',
    usedIn: 'server/first-admin.ts',
    file: true,
    hidden: true,
  },
  trustProxy: {
    name: 'RAPSHEET_TRUST_PROXY',
    type: list(parseProxy, 'must be addresses and networks, separated by commas'),
    default: [],
    byDefault: 'none',
    text: 'The proxies whose `X-Forwarded-For` is trusted: addresses and networks, separated by commas',
    usedIn: 'server/start-server.ts',
  },
  corsOrigins: {
    name: 'RAPSHEET_CORS_ORIGINS',
    type: list(
      parseOrigin,
      'must be exact origins such as https://tools.example, separated by commas: scheme, host, and the port if it is not the default, without a slash at the end',
    ),
    default: [],
    byDefault: 'none',
    text: 'The origins whose pages may call the API from a browser, with a token and never with a session, separated by commas',
    usedIn: 'server/start-server.ts',
  },
  limits: {
    memoryBytes: {
      name: 'RAPSHEET_MEMORY_BUDGET_BYTES',
      type: wholeNumber(4 * MIB, 64 * GIB),
      default: memoryBudgetBytes(),
      byDefault: `an eighth of the heap or of the machine, at most ${formatBytes(MAX_MEMORY_BYTES)}`,
      text: 'The memory that each process holds for clients (bodies, unread responses, streams, uploads) before it refuses requests',
      usedIn: 'http/server.ts',
    },
    connections: {
      name: 'RAPSHEET_CONNECTIONS',
      type: wholeNumber(10, 1_000_000),
      default: 10_000,
      text: 'The open connections of each process; fewer if the system allows fewer open files',
      usedIn: 'http/connections/connection-limits.ts',
    },
    connectionsPerAddress: {
      name: 'RAPSHEET_CONNECTIONS_PER_ADDRESS',
      type: wholeNumber(1, 1_000_000),
      default: 2000,
      text: 'The open connections from one address, or one /64 of IPv6, except proxies in `RAPSHEET_TRUST_PROXY`',
      usedIn: 'http/connections/connection-limits.ts',
    },
    writeTimeoutSeconds: {
      name: 'RAPSHEET_WRITE_TIMEOUT_SECONDS',
      type: wholeNumber(1, 3600),
      default: 30,
      text: 'The seconds after which a connection is closed if the client does not read the response',
      usedIn: 'config.ts',
    },
  },
  metricsPort: {
    name: 'RAPSHEET_METRICS_PORT',
    type: port,
    default: 9464,
    text: 'The port for `/metrics`; 0 turns it off',
    usedIn: 'observability/metrics-server.ts',
  },
  metricsHost: {
    name: 'RAPSHEET_METRICS_HOST',
    type: anyText,
    default: '127.0.0.1',
    text: 'The address on which `/metrics` listens; it needs no token, so let only your monitoring reach it',
    usedIn: 'observability/metrics-server.ts',
  },
  logLevel: {
    name: 'RAPSHEET_LOG_LEVEL',
    type: z.enum(LEVELS, `must be one of ${LEVELS.join(', ')}`),
    default: 'info',
    text: `The log level: ${LEVELS.join(', ')}; \`debug\` logs every request`,
    usedIn: 'server/open-dependencies.ts',
  },
  configFile: {
    name: 'RAPSHEET_CONFIG_FILE',
    type: anyText,
    byDefault: 'none',
    text: 'A file of `NAME=value` lines with any of these settings; the environment takes precedence',
    usedIn: 'config/environment.ts',
  },
} as const satisfies SettingTable;

/** Where commands look for a server if nothing names one: where one without settings listens. */
export const DEFAULT_URL = `http://${SETTINGS.host.default}:${SETTINGS.port.default}`;

/** The settings of commands that call a server instead of opening its store. */
export const CLIENT_SETTINGS = {
  url: {
    name: 'RAPSHEET_URL',
    type: url,
    byDefault: `that of the profile, else \`${DEFAULT_URL}\``,
    text: 'The URL of the server',
    usedIn: 'cli/connection.ts',
  },
  token: {
    name: 'RAPSHEET_TOKEN',
    type: text(isToken, 'is not a valid token: it is incomplete or mistyped'),
    byDefault: 'that of the profile',
    text: 'The token to send',
    usedIn: 'cli/connection.ts',
    file: true,
    hidden: true,
  },
  profile: {
    name: 'RAPSHEET_PROFILE',
    type: anyText,
    byDefault: 'the default profile',
    text: 'The profile that `rapsheet login` stored',
    usedIn: 'cli/connection.ts',
  },
  configDir: {
    name: 'RAPSHEET_CONFIG_DIR',
    type: anyText,
    byDefault: '`rapsheet` in `$XDG_CONFIG_HOME`, or in `~/.config`',
    text: 'The folder of the profiles',
    usedIn: 'cli/connection.ts',
  },
} as const satisfies SettingTable;

/** The smallest of heap, container and machine counts. Buffers use twice what is counted. */
function memoryBudgetBytes(): number {
  const container = process.constrainedMemory() || Number.MAX_SAFE_INTEGER;
  const memory = Math.min(getHeapStatistics().heap_size_limit, container, totalmem());
  return Math.min(MAX_MEMORY_BYTES, Math.max(MIN_MEMORY_BYTES, Math.floor(memory / 8)));
}
