import { z } from 'zod';
import { parseC2Address } from '../../domain/reports/c2-address.ts';
import {
  isReference,
  isTag,
  MAX_REFERENCE_LENGTH,
  MAX_TAG_LENGTH,
  MAX_TAGS,
} from '../../domain/reports/report.ts';
import { DEFAULT_CONFIDENCE_SCALE } from '../../domain/reports/service.ts';
import { parseSha256 } from '../../domain/samples/file-hash.ts';
import { field, parsed, strictObject } from './field-rules.ts';

const EXAMPLE_SHA256 = '275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f';

const assigned = z
  .unknown()
  .optional()
  .meta({ description: 'Assigned by the server; ignored here' });

function createBodyOf(scale: number) {
  return strictObject({
    c2Address: field(
      '"<host>:<port>" with a DNS name, an IPv4 address or a bracketed IPv6 address, and a port from 1 to 65535',
      parsed(parseC2Address),
      { details: 'Defanged dots ("[.]") are accepted', example: 'tunnel.ply.example:4444' },
    ),
    file256Hash: field('a SHA-256 of 64 hexadecimal digits', parsed(parseSha256), {
      details: 'In upper or lower case',
      example: EXAMPLE_SHA256,
    }),
    tags: field(
      `a list of at most ${MAX_TAGS} texts of 1 to ${MAX_TAG_LENGTH} visible characters`,
      z.array(z.string().refine(isTag)).max(MAX_TAGS).optional(),
      { example: ['asyncrat', 'rat'] },
    ),
    referenceLink: field(
      `an http or https URL of at most ${MAX_REFERENCE_LENGTH} characters without user name or password`,
      z.string().refine(isReference).optional(),
      {
        details: 'The results page of the file on this server by default',
        example: 'https://research.example/asyncrat',
      },
    ),
    confidenceScore: field(`an integer from 0 to ${scale}`, z.int().min(0).max(scale).optional(), {
      details: 'The upper end is the confidence scale of the service. Half of it by default',
      example: 80,
    }),
    // Accepted and ignored, so that a fetched report can be posted to another feed.
    id: assigned,
    name: assigned,
    reportedAt: assigned,
    reportedBy: assigned,
    firstSeenID: assigned,
  });
}

type CreateBody = z.output<ReturnType<typeof createBodyOf>>;

/** The value of each known member, or `undefined` if it is invalid. */
const MEMBERS: Readonly<Record<string, (value: unknown, scale: number) => unknown>> = {
  c2Address: (value) => (typeof value === 'string' ? parseC2Address(value) : undefined),
  file256Hash: (value) => (typeof value === 'string' ? parseSha256(value) : undefined),
  tags: (value) => (isTagList(value) ? value : undefined),
  referenceLink: (value) => (typeof value === 'string' && isReference(value) ? value : undefined),
  confidenceScore: (value, scale) => (isScore(value, scale) ? value : undefined),
  id: ignored,
  name: ignored,
  reportedAt: ignored,
  reportedBy: ignored,
  firstSeenID: ignored,
};

function ignored(value: unknown): unknown {
  return value;
}

function isTagList(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.length <= MAX_TAGS &&
    value.every((tag) => typeof tag === 'string' && isTag(tag))
  );
}

function isScore(value: unknown, scale: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= scale;
}

/**
 * Parses a valid body as the schema does, in a fraction of its time. Returns `undefined` if the
 * body is not valid; the schema then tells why.
 */
export function parseCreateBody(body: unknown, scale: number): CreateBody | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const parsedBody: Record<string, unknown> = {};
  for (const name of Object.keys(body)) {
    const parse = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined;
    const value = parse?.((body as Readonly<Record<string, unknown>>)[name], scale);
    if (value === undefined) return undefined;
    parsedBody[name] = value;
  }
  const isComplete = 'c2Address' in parsedBody && 'file256Hash' in parsedBody;
  return isComplete ? (parsedBody as CreateBody) : undefined;
}

/** Cached per confidence scale, because building a schema takes far longer than applying it. */
const createBodies = new Map<number, ReturnType<typeof createBodyOf>>();

/** The body of a create. The confidence is limited by the scale of the service. */
export function createBody(
  scale: number = DEFAULT_CONFIDENCE_SCALE,
): ReturnType<typeof createBodyOf> {
  const cached = createBodies.get(scale);
  if (cached !== undefined) return cached;
  const built = createBodyOf(scale);
  createBodies.set(scale, built);
  return built;
}
