import { MAX_ACCOUNT_NAME_LENGTH } from '../../domain/accounts/account-name.ts';
import { MAX_REFERENCE_LENGTH } from '../../domain/reports/report.ts';

/**
 * JSON Schemas of the texts that the parsers accept and the responses contain. A test compares them
 * with the parsers. Patterns use only what ECMAScript, Rust and Java read alike.
 */
export interface TextFormat {
  readonly type?: 'string' | 'integer' | 'boolean' | 'array';
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly object[];
  readonly [keyword: string]: unknown;
}

export const UUID: TextFormat = { format: 'uuid' };
export const SHA256: TextFormat = hexDigest(32);
export const FILE_HASH: TextFormat = { pattern: '^(?:[0-9A-Fa-f]{64}|[0-9A-Fa-f]{128})$' };
export const SLUG: TextFormat = { pattern: '^[a-z0-9][a-z0-9-]{0,62}$' };
export const DAY: TextFormat = { format: 'date' };
/** A signed text: at least 17 bytes in base64url. */
export const CURSOR: TextFormat = { pattern: '^[A-Za-z0-9_-]{23,}$' };
export const TOKEN: TextFormat = { pattern: '^rap_[A-Za-z0-9_-]{38}$' };
export const SECONDS_OF_DURATION: TextFormat = { pattern: '^\\d{2,}:[0-5]\\d:[0-5]\\d\\.\\d{7}$' };
export const FUZZY_HASH: TextFormat = {
  pattern: `^(?:${blockSizes().join('|')}):[A-Za-z0-9+/]{0,64}:[A-Za-z0-9+/]{0,64}$`,
};
export const TLSH: TextFormat = { pattern: '^(?:[Tt]1)?[0-9A-Fa-f]{70}$' };

/** An identifier of STIX 2.1, section 2.9. */
export const STIX_ID: TextFormat = {
  pattern: '^[a-z][a-z0-9-]*[a-z0-9]--[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
};

/** ISO 8601 with a zone, from 1970 on. */
export const INSTANT: TextFormat = {
  format: 'date-time',
  pattern:
    '^(?:19[7-9]\\d|[2-9]\\d{3})-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-]\\d\\d:\\d\\d)$',
};

/** `reportedAt`, in UTC. */
export const REPORT_TIME: TextFormat = {
  pattern:
    '^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01]) (?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d$',
};

/**
 * A visible character but the space: no control, mark of format, other space or private character.
 * Written as ranges of the Basic Multilingual Plane, because validators compile patterns without
 * the flag that classes of Unicode need. The server refuses unassigned characters too.
 */
const INK =
  '[^\\u0000-\\u0020\\u007f-\\u00a0\\u00ad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164\\ue000-\\uf8ff\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff]';

/** Visible characters and spaces, at least one of which is not a space. */
export function visible(maxLength: number): TextFormat {
  return { pattern: `^ *${INK}(?:${INK}| )*$`, minLength: 1, maxLength };
}

/** The same, or nothing. */
export function visibleOrEmpty(maxLength: number): TextFormat {
  return { pattern: `^(?: *${INK}(?:${INK}| )*)?$`, maxLength };
}

/** Visible lines, at least one of which is not empty. */
export function multiline(maxLength: number): TextFormat {
  return { pattern: `^[ \\r\\n]*${INK}(?:${INK}|[ \\r\\n])*$`, minLength: 1, maxLength };
}

/** Without space at its ends. It cannot be a UUID, which is a lookup by id. */
export const ACCOUNT_NAME: TextFormat = {
  pattern: `^${INK}(?:(?:${INK}| )*${INK})?$`,
  minLength: 1,
  maxLength: MAX_ACCOUNT_NAME_LENGTH,
  not: UUID,
};

const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const PORT =
  '(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';
const GROUP = '[0-9A-Fa-f]{1,4}';
/** RFC 4291, section 2.2, without the form that ends with an IPv4 address. */
const IPV6 = `(?:(?:${GROUP}:){7}${GROUP}|(?:${GROUP}:){1,7}:|(?:${GROUP}:){1,6}:${GROUP}|(?:${GROUP}:){1,5}(?::${GROUP}){1,2}|(?:${GROUP}:){1,4}(?::${GROUP}){1,3}|(?:${GROUP}:){1,3}(?::${GROUP}){1,4}|(?:${GROUP}:){1,2}(?::${GROUP}){1,5}|${GROUP}:(?::${GROUP}){1,6}|:(?:(?::${GROUP}){1,7}|:))`;
const LABEL = '[A-Za-z0-9_-]{1,63}';
const DEFANGED_DOT = '(?:\\.|\\[\\.\\]|\\(\\.\\)|\\[[dD][oO][tT]\\])';

function ipv4(dot: string): string {
  return `(?:${OCTET}${dot}){3}${OCTET}`;
}

/** A DNS name of at most 253 characters whose last label is not a number, and what follows it. */
function name(dot: string, end: string): string {
  const last = `(?!(?:[0-9]+|0[xX][0-9A-Fa-f]*)${end})${LABEL}`;
  return `(?=.{1,253}${end})(?:${LABEL}${dot})*${last}`;
}

/** As it is stored: in punycode, with plain dots. */
export const C2_ADDRESS: TextFormat = {
  pattern: '^(?:\\[[0-9a-f:]+\\]|[a-z0-9._-]+):[1-9][0-9]{0,4}$',
};

const PORT_PART = `(?:\\[:\\]|:)${PORT}`;
const INPUT_C2 = `(?:${ipv4(DEFANGED_DOT)}|\\[${IPV6}\\]|${name(DEFANGED_DOT, '(?:\\[:\\]|:)[0-9]+$')})${PORT_PART}`;
const INPUT_HOST = `(?:${ipv4(DEFANGED_DOT)}|\\[${IPV6}\\]|${IPV6}|${name(DEFANGED_DOT, '$')})`;

/** What parsers of addresses accept, but for names in other scripts, which become punycode. */
export const C2_INPUT: TextFormat = { pattern: `^${INPUT_C2}$` };
export const HOST_INPUT: TextFormat = { pattern: `^${INPUT_HOST}$` };
export const HOST_OR_C2_INPUT: TextFormat = { pattern: `^(?:${INPUT_C2}|${INPUT_HOST})$` };

/** A host that is not defanged. */
export const PLAIN_HOST: TextFormat = {
  pattern: `^(?:${ipv4('\\.')}|\\[${IPV6}\\]|${IPV6}|${name('\\.', '$')})$`,
};

/** A declared host, with or without `*.`. */
export const HOST_PATTERN: TextFormat = {
  pattern: `^(?:\\*\\.)?(?:${LABEL}\\.)*${LABEL}$`,
  maxLength: 253,
};

export const NETWORK: TextFormat = {
  pattern: `^(?:${ipv4('\\.')}/(?:3[0-2]|[12]?[0-9])|${IPV6}/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))$`,
};

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const DOMAIN_LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
export const MAIL_ADDRESS: TextFormat = {
  pattern: `^(?=.{1,64}@)${ATOM}(?:\\.${ATOM})*@(?:${DOMAIN_LABEL}\\.)*${DOMAIN_LABEL}$`,
  maxLength: 254,
};

const URL_NAME = `(?!xn--)(?:${DOMAIN_LABEL}\\.)*[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`;

/** An http or https URL without user name. Hosts in other scripts are accepted too. */
export const REFERENCE: TextFormat = {
  pattern: `^https?://(?:${URL_NAME}|${ipv4('\\.')}|\\[${IPV6}\\])(?::${PORT})?(?:[/?#][!-\\[\\]-~]*)?$`,
  maxLength: MAX_REFERENCE_LENGTH,
};

/** The URL of a receiver of webhooks. The operator may allow more. */
export const WEBHOOK_URL: TextFormat = {
  pattern: '^https?://[^\\s/?#@]+(?:[/?][^\\s#]*)?$',
};

export const HTTP_URL: TextFormat = { pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' };

/** 1 to 255 printable ASCII characters, with or without quotes. */
export const IDEMPOTENCY_KEY: TextFormat = {
  pattern: '^(?:"[ !#-~]{1,255}"|[!#-~]{1,255})$',
};

export function integerFormat(minimum: number, maximum: number): TextFormat {
  return { type: 'integer', minimum, maximum };
}

function hexDigest(bytes: number): TextFormat {
  return { pattern: `^[0-9A-Fa-f]{${bytes * 2}}$` };
}

/** 3 · 2^i, where i is from 0 to 30. */
function blockSizes(): readonly number[] {
  return Array.from({ length: 31 }, (_, level) => 3 * 2 ** level);
}
