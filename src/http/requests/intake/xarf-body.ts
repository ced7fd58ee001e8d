import { Problem } from '../../../domain/problem.ts';
import { type C2Address, c2AddressOf, parseC2Address } from '../../../domain/reports/c2-address.ts';
import {
  isReference,
  isTag,
  MAX_REFERENCE_LENGTH,
  MAX_TAG_LENGTH,
  MAX_TAGS,
  type ReportDraft,
  UNNAMED,
} from '../../../domain/reports/report.ts';
import { parseSha256 } from '../../../domain/samples/file-hash.ts';
import { parseUuid } from '../../../domain/uuid.ts';
import { itemsUpTo } from '../bounded-list.ts';
import { type XarfMembers, xarfMembers } from './xarf-members.ts';

/** Several may be the same without their namespaces. */
const MAX_GIVEN_TAGS = 8 * MAX_TAGS;

const TYPES: readonly string[] = ['infrastructure/botnet', 'botnet'];

/**
 * Turns a report in XARF 4 or 3 into a draft. `id` is the report's own id. Evidence payloads and
 * `_internal` are not read.
 */
export function readXarf(
  body: unknown,
  scale: number,
): { readonly draft: ReportDraft; readonly id: string | undefined } {
  const problems: string[] = [];
  const members = xarfMembers(body);
  if (members === undefined) {
    throw new Problem('invalid_xarf', {
      parameters: {
        problems:
          'xarf_version must be a version 4, such as "4.2.0" (or Version a version 3, such as "3").',
      },
    });
  }
  const { names } = members;
  if (!TYPES.includes(members.type))
    problems.push(`${names.type}: a feed takes reports of C2s, which are botnet reports.`);
  const c2 = addressOf(members, problems);
  const sha256 = hashOf(members, problems);
  const draft = {
    tags: tagsOf(members, problems),
    reference: referenceOf(members, problems),
    confidence: confidenceOf(members, scale, problems),
  };
  const id = idOf(members, problems);
  if (problems.length > 0 || c2 === undefined || sha256 === undefined)
    throw new Problem('invalid_xarf', { parameters: { problems: problems.join(' ') } });
  return { draft: { ...draft, c2, sha256 }, id };
}

/**
 * The C2 is `c2_server` if that has a port of its own, else the source. A `c2_server` without a
 * port must be the source: the port of another host is not known.
 */
function addressOf(members: XarfMembers, problems: string[]): C2Address | undefined {
  const { names, server } = members;
  if (typeof server === 'string') {
    const own = parseC2Address(server);
    if (own !== undefined) return own;
  } else if (server !== undefined) {
    problems.push(`${names.server} must be a text.`);
  }
  const source = sourceOf(members, problems);
  if (source === undefined || typeof server !== 'string') return source;
  if (c2AddressOf(server, source.port)?.host === source.host) return source;
  problems.push(
    `${names.server} must be the same host as ${names.host}, or "<host>:<port>" with a port of its own.`,
  );
  return undefined;
}

function sourceOf({ names, host, port }: XarfMembers, problems: string[]): C2Address | undefined {
  const before = problems.length;
  if (typeof host !== 'string' || c2AddressOf(host, 1) === undefined)
    problems.push(`${memberProblem(names.host, host)}must be a DNS name or an IP address.`);
  if (!Number.isInteger(port) || Number(port) < 1 || Number(port) > 65_535)
    problems.push(`${memberProblem(names.port, port)}must be an integer from 1 to 65535.`);
  return problems.length > before ? undefined : c2AddressOf(String(host), Number(port));
}

function memberProblem(name: string, value: unknown): string {
  return value === undefined ? `${name} is missing; it ` : `${name} `;
}

/** `sha256:` and 64 digits, or the digits alone. */
function parseHash(value: unknown): string | undefined {
  return typeof value === 'string' ? parseSha256(value.replace(/^sha-?256:/i, '')) : undefined;
}

function hashOf({ names, hashes }: XarfMembers, problems: string[]): string | undefined {
  for (const alternatives of hashes) {
    const found = new Set(alternatives.flatMap((value) => parseHash(value) ?? []));
    if (found.size === 1) return [...found][0];
    if (found.size > 1) {
      problems.push(
        `evidence has the SHA-256 of several files: say in ${names.hash} which one it is.`,
      );
      return undefined;
    }
  }
  problems.push(
    `${memberProblem(names.hash, hashes[0]?.[0])}must be "sha256:" and the 64 hexadecimal digits of the SHA-256 of the file, or the hash of an item of evidence must be.`,
  );
  return undefined;
}

/** The family first, then the tags without the namespaces that our own export adds. */
function tagsOf({ names, family, tags = [] }: XarfMembers, problems: string[]): readonly string[] {
  const given = itemsUpTo(MAX_GIVEN_TAGS, tags) ?? [undefined];
  const distinct = distinctTexts(
    family === undefined || family === UNNAMED ? given : [family, ...given],
  );
  if (distinct.length <= MAX_TAGS && distinct.every(isTag)) return distinct;
  problems.push(
    `malware_family and ${names.tags} must be at most ${MAX_TAGS} texts of 1 to ${MAX_TAG_LENGTH} visible characters.`,
  );
  return [];
}

/** Without regard to case: the tag of a family is in lower case in XARF. */
function distinctTexts(tags: readonly unknown[]): readonly string[] {
  const texts = new Map<string, string>();
  for (const tag of tags) {
    const text = typeof tag === 'string' ? tag.replace(/^(?:malware|custom):/, '') : '';
    const key = text.toLowerCase();
    if (!texts.has(key)) texts.set(key, text);
  }
  return [...texts.values()];
}

function confidenceOf(
  { confidence }: XarfMembers,
  scale: number,
  problems: string[],
): number | undefined {
  if (confidence === undefined) return undefined;
  if (typeof confidence === 'number' && confidence >= 0 && confidence <= 1)
    return Math.round(confidence * scale);
  problems.push('confidence must be a number from 0 to 1.');
  return undefined;
}

function referenceOf({ reference }: XarfMembers, problems: string[]): string | undefined {
  if (reference === undefined) return undefined;
  if (typeof reference === 'string' && isReference(reference)) return reference;
  problems.push(
    `reference must be an http or https URL of at most ${MAX_REFERENCE_LENGTH} characters without user name or password.`,
  );
  return undefined;
}

function idOf({ id }: XarfMembers, problems: string[]): string | undefined {
  if (id === undefined) return undefined;
  const uuid = typeof id === 'string' ? parseUuid(id) : undefined;
  if (uuid === undefined) problems.push('report_id must be a UUID.');
  return uuid;
}
