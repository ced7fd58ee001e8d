import { z } from 'zod';
import { isToken } from '../domain/accounts/token.ts';
import { parseMailAddress } from '../domain/mail/mail-settings.ts';
import { parseAllowedHost } from '../domain/reports/allow-list.ts';
import { parseSecretKey } from '../domain/secret-key.ts';
import { parseSmtpUrl } from './locations.ts';
import {
  isNameServer,
  isOrigin,
  isProxy,
  list,
  networks,
  port,
  url,
  wholeNumber,
} from './setting-types.ts';

export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/**
 * A worker has memory for a file of this size and what it unpacks. Larger ones would mostly fail.
 */
const MAX_UPLOAD_LIMIT_BYTES = 256 * 1024 * 1024;

/**
 * Every setting: its type, its default and its purpose. The table in
 * `docs/operations/configuration.md` is generated from this.
 */
export const settings = {
  RAPSHEET_PORT: port(8080, 'The port to listen on; 0 chooses a free port'),
  RAPSHEET_HOST: z.string().min(1).default('127.0.0.1').describe('The address to listen on'),
  RAPSHEET_BASE_URL: url('The public URL of the feeds; by default the listen address'),
  RAPSHEET_ANALYSIS_URL: url('The public URL of the lookup; by default the listen address'),
  RAPSHEET_DATA_DIR: z.string().min(1).default('./data').describe('The folder for all data'),
  RAPSHEET_DATABASE_URL: z
    .string()
    .optional()
    .describe(
      '`sqlite:<file>` or `postgres://<user>:<password>@<host>:<port>/<database>` (also `_FILE`); `rapsheet.db` in the data folder by default',
    ),
  RAPSHEET_DATABASE_POOL: wholeNumber(
    { from: 4, to: 200 },
    'The largest number of connections of each process to PostgreSQL, in addition to three for the queue and one for notifications; 10 by default',
  ),
  RAPSHEET_HTTP_WORKERS: wholeNumber(
    { from: 1, to: 64 },
    'The number of processes that serve HTTP; more than 1 needs PostgreSQL; 1 by default',
  ),
  RAPSHEET_SAMPLES_URL: z
    .string()
    .optional()
    .describe(
      '`file:<folder>` or `s3://<bucket>/<prefix>` for uploaded samples, which are stored obfuscated; `samples` in the data folder by default',
    ),
  RAPSHEET_S3_ENDPOINT: url(
    'The URL of the S3 service, if it is not AWS; path-style requests are used then',
  ),
  RAPSHEET_S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, 'must be the name of a region')
    .default('us-east-1')
    .describe('The region of the bucket'),
  RAPSHEET_S3_ACCESS_KEY_ID: z
    .string()
    .optional()
    .describe(
      'The access key for the bucket; by default the credentials of the machine or its role',
    ),
  RAPSHEET_S3_SECRET_ACCESS_KEY: z
    .string()
    .optional()
    .describe('The secret of that access key (also `_FILE`)'),
  RAPSHEET_UPLOAD_LIMIT_BYTES: wholeNumber(
    { from: 1, to: MAX_UPLOAD_LIMIT_BYTES },
    'The size of the largest upload; 104857600 (100 MiB) by default',
  ),
  RAPSHEET_ACCOUNT_UPLOADS: wholeNumber(
    { from: 0, to: 10_000 },
    'The concurrent uploads, and the concurrent batches of reports, of one account in each process; 8 by default, 0 for no limit',
  ),
  RAPSHEET_ACCOUNT_STREAMS: wholeNumber(
    { from: 0, to: 10_000 },
    'The open streams of one account in each process; 100 by default, 0 for no limit',
  ),
  RAPSHEET_ACCOUNT_WEBSOCKETS: wholeNumber(
    { from: 0, to: 10_000 },
    'The open WebSockets of one account in each process; 20 by default, 0 for no limit',
  ),
  RAPSHEET_ACCOUNT_EXPORTS: wholeNumber(
    { from: 0, to: 10_000 },
    'The exports that one account waits for or reads at the same time in each process; 8 by default, 0 for no limit',
  ),
  RAPSHEET_ACCOUNT_TOKENS: wholeNumber(
    { from: 0, to: 1_000_000 },
    'The tokens of one account that are neither revoked nor expired; 100 by default, 0 for no limit',
  ),
  RAPSHEET_ACCOUNT_STORED_BYTES: wholeNumber(
    { from: 0, to: 999_999_999_999 },
    'The bytes of samples that one account may store; 53687091200 (50 GiB) by default, 0 for no limit',
  ),
  RAPSHEET_ACCOUNT_STATUS_BYTES: wholeNumber(
    { from: 0, to: 999_999_999_999 },
    'The bytes of the statuses of TAXII submissions that are kept for one account, for two days; 33554432 (32 MiB) by default, 0 for no limit',
  ),
  RAPSHEET_ACCOUNT_CREATES_PER_MINUTE: wholeNumber(
    { from: 0, to: 1_000_000_000 },
    'The reports that one account may create per minute in each process, including lines of batches and objects submitted by TAXII; 6000 by default, 0 for no limit',
  ),
  RAPSHEET_ACCOUNT_CREATES_BURST: wholeNumber(
    { from: 1, to: 1_000_000_000 },
    'The reports that an idle account may create at once before that rate applies; 20000 by default',
  ),
  RAPSHEET_ACCOUNT_UPLOADS_PER_MINUTE: wholeNumber(
    { from: 0, to: 1_000_000_000 },
    'The uploads that one account may start per minute in each process; 600 by default, 0 for no limit',
  ),
  RAPSHEET_ANALYSIS_WORKERS: wholeNumber(
    { from: 0, to: 64 },
    'The number of samples that are analysed at once; 0 leaves them to other processes; one fewer than the processors by default',
  ),
  RAPSHEET_RULES_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('A folder with your own YARA rules, in addition to the built-in ones'),
  RAPSHEET_COMPAT_WEBSOCKET: z
    .enum(['0', '1'], 'must be 0 or 1')
    .default('0')
    .describe(
      '1 enables `GET /websocket`, with which older clients ask whether a file is known; the token is then part of a URL',
    ),
  RAPSHEET_CHANGES_KEPT_DAYS: wholeNumber(
    { from: 1, to: 36_500 },
    'How many days the changes of a feed and the tombstones of deleted reports are kept for its readers; 365 by default',
  ),
  RAPSHEET_EXPORTS_MAX_BYTES: wholeNumber(
    { from: 1_000_000, to: 999_999_999_999 },
    'The size of all exports that a process keeps in `exports` in the data folder; 8589934592 (8 GiB) by default',
  ),
  RAPSHEET_SURICATA_FIRST_SID: wholeNumber(
    { from: 4_000_001, to: 4_000_000_000 },
    'The number before the first Suricata rule of a report (`sid`); the 4,000,000 numbers before it are those of rules for whole feeds; 90000000 by default. A change renumbers all rules',
  ),
  RAPSHEET_WEBHOOK_ALLOW_HTTP: z
    .enum(['0', '1'], 'must be 0 or 1')
    .default('0')
    .describe('1 allows webhooks to plain http URLs, and proofs of ownership over plain http'),
  RAPSHEET_WEBHOOK_ALLOW_NETWORKS: networks(
    'Private networks to which webhooks may be sent, and where proofs of ownership are read, separated by commas; none by default',
  ),
  RAPSHEET_DNS_RESOLVER: z
    .string()
    .refine(isNameServer, 'must be an address, or an address and a port: 192.0.2.1:53, [::1]:53')
    .optional()
    .describe(
      'The name server for the hosts of webhooks and of proofs of ownership, `<address>` or `<address>:<port>`; by default those of the system',
    ),
  RAPSHEET_WELL_KNOWN_PORT: wholeNumber(
    { from: 1024, to: 65_535 },
    'The port at which proofs of ownership are read (`/.well-known/rapsheet`), for trials; by default that of https',
  ),
  RAPSHEET_ALLOW_LIST: list()
    .refine(
      (entries) => entries.every((entry) => parseAllowedHost(entry) !== undefined),
      'must be host names without a wildcard (they cover their subdomains), addresses and networks in CIDR notation, separated by commas',
    )
    .transform((entries) => entries.flatMap((entry) => parseAllowedHost(entry) ?? []))
    .describe(
      'Hosts that are no indicator in any format, block lists included: names, which cover their subdomains, addresses and networks, separated by commas; none by default',
    ),
  RAPSHEET_SECRET_KEY: z
    .string()
    .refine(
      (text) => parseSecretKey(text) !== undefined,
      'must be 32 bytes, as 64 hexadecimal digits or as base64',
    )
    .optional()
    .describe(
      'The key that encrypts the stored secrets of webhooks; by default the one in `secret-key` in the data folder (also `_FILE`)',
    ),
  RAPSHEET_SMTP_URL: z
    .string()
    .refine(
      (text) => parseSmtpUrl(text) !== undefined,
      'must be smtp://<user>:<password>@<host>:<port> or smtps://…, with the characters @ : / ? # in the password written as %40 %3A %2F %3F %23',
    )
    .optional()
    .describe(
      'The mail server for services that get their reports by mail: `smtp://<user>:<password>@<host>:<port>` (STARTTLS, port 587 by default) or `smtps://…` (TLS, port 465 by default); no mail is sent without it (also `_FILE`)',
    ),
  RAPSHEET_MAIL_FROM: z
    .string()
    .refine((text) => parseMailAddress(text) !== undefined, 'must be a mail address')
    .optional()
    .describe('The address from which mail is sent, and which reports in XARF name for questions'),
  RAPSHEET_ADMIN_TOKEN: z
    .string()
    .refine(
      isToken,
      'must be a token in the format of this service: create one with `rapsheet token generate`',
    )
    .optional()
    .describe(
      'The token of the account `admin` that the first start creates; a random one by default (also `_FILE`)',
    ),
  RAPSHEET_TRUST_PROXY: list()
    .refine(
      (proxies) => proxies.every(isProxy),
      'must be addresses and networks, separated by commas',
    )
    .describe(
      'The proxies whose `X-Forwarded-For` is trusted: addresses and networks, separated by commas; none by default',
    ),
  RAPSHEET_CORS_ORIGINS: list()
    .refine(
      (origins) => origins.every(isOrigin),
      'must be exact origins such as https://tools.example, separated by commas: scheme, host, and the port if it is not the default, without a slash at the end',
    )
    .describe(
      'The origins whose pages may call the API from a browser, with a token and never with a session, separated by commas; none by default',
    ),
  RAPSHEET_MEMORY_BUDGET_BYTES: wholeNumber(
    { from: 4 * 1024 * 1024, to: 64 * 1024 ** 3 },
    'The memory that each process holds for clients (bodies, unread responses, streams, uploads) before it refuses requests; by default an eighth of the heap or of the machine, at most 96 MiB',
  ),
  RAPSHEET_CONNECTIONS: wholeNumber(
    { from: 10, to: 1_000_000 },
    'The open connections of each process; 10000 by default, fewer if the system allows fewer open files',
  ),
  RAPSHEET_CONNECTIONS_PER_ADDRESS: wholeNumber(
    { from: 1, to: 1_000_000 },
    'The open connections from one address, or one /64 of IPv6, except proxies in `RAPSHEET_TRUST_PROXY`; 2000 by default',
  ),
  RAPSHEET_WRITE_TIMEOUT_SECONDS: wholeNumber(
    { from: 1, to: 3600 },
    'The seconds after which a connection is closed if the client does not read the response; 30 by default',
  ),
  RAPSHEET_METRICS_PORT: port(9464, 'The port for `/metrics`; 0 turns it off'),
  RAPSHEET_METRICS_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe(
      'The address on which `/metrics` listens; it needs no token, so let only your monitoring reach it',
    ),
  RAPSHEET_LOG_LEVEL: z
    .enum(LEVELS)
    .default('info')
    .describe(`The log level: ${LEVELS.join(', ')}; \`debug\` logs every request`),
  RAPSHEET_CONFIG_FILE: z
    .string()
    .optional()
    .describe(
      'A file of `NAME=value` lines with any of these settings; the environment takes precedence',
    ),
};

/** The settings of commands that call a server instead of opening its store. */
export const clientSettings = {
  RAPSHEET_URL: url(
    'The URL of the server; by default that of the profile, else `http://127.0.0.1:8080`',
  ),
  RAPSHEET_TOKEN: z
    .string()
    .refine(isToken, 'is not a valid token: it is incomplete or mistyped')
    .optional()
    .describe('The token to send (also `_FILE`); by default that of the profile'),
  RAPSHEET_PROFILE: z
    .string()
    .optional()
    .describe('The profile that `rapsheet login` stored; by default the default profile'),
  RAPSHEET_CONFIG_DIR: z
    .string()
    .optional()
    .describe(
      'The folder of the profiles; by default `rapsheet` in `$XDG_CONFIG_HOME`, or in `~/.config`',
    ),
};
