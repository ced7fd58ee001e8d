import { isIP } from 'node:net';
import { z } from 'zod';
import { isToken } from '../domain/accounts/token.ts';
import { parseNetwork } from '../domain/reports/service.ts';
import { parseSecretKey } from '../domain/secret-key.ts';
import { trimEndOf } from '../domain/trim.ts';

export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** A worker has memory for so much and what it unpacks; beyond that most analyses would end without a report. */
const MAX_UPLOAD_LIMIT_BYTES = 256 * 1024 * 1024;

/**
 * Every setting: how it is read, what it is when absent, and what it is for. The table in
 * `docs/operations/configuration.md` is generated from this.
 */
export const settings = {
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
export const clientSettings = {
  RAPSHEET_URL: url('')
    .transform((text) => text ?? 'http://127.0.0.1:8080')
    .describe('Where the server is'),
  RAPSHEET_TOKEN: z
    .string()
    .refine(isToken, 'is not a token: it is cut or mistyped')
    .optional()
    .describe('The token that is sent (also `_FILE`)'),
};
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
