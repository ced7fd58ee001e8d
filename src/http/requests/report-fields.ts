import { z } from 'zod';
import { parseC2Address } from '../../domain/reports/c2-address.ts';
import {
  isReference,
  isTag,
  MAX_REFERENCE_LENGTH,
  MAX_TAG_LENGTH,
  MAX_TAGS,
} from '../../domain/reports/report.ts';
import { parseSha256 } from '../../domain/samples/file-hash.ts';
import { DEFAULT_CONFIDENCE_SCALE } from '../../domain/services/service.ts';
import { C2_INPUT, REFERENCE, SHA256, visible } from '../openapi/text-formats.ts';
import { listOf } from './bounded-list.ts';
import { field, parsed, strictObject } from './field-rules.ts';

const EXAMPLE_SHA256 = '275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f';

const assigned = z
  .unknown()
  .optional()
  .meta({ description: 'Assigned by the server; ignored here' });

export function tagsField(details?: string) {
  return field(
    `a list of at most ${MAX_TAGS} texts of 1 to ${MAX_TAG_LENGTH} visible characters`,
    listOf(z.string().refine(isTag).meta(visible(MAX_TAG_LENGTH)), { max: MAX_TAGS }).optional(),
    { ...(details !== undefined && { details }), example: ['asyncrat', 'rat'] },
  );
}

export const referenceField = field(
  `an http or https URL of at most ${MAX_REFERENCE_LENGTH} characters without user name or password`,
  z.string().refine(isReference).meta(REFERENCE).optional(),
  {
    details: 'The results page of the file on this server by default',
    example: 'https://research.example/asyncrat',
  },
);

export function confidenceField(scale: number, byDefault: string) {
  return field(`an integer from 0 to ${scale}`, z.int().min(0).max(scale).optional(), {
    details: `The upper end is the confidence scale of the service. ${byDefault}`,
    example: 80,
  });
}

function createBodyOf(scale: number) {
  return strictObject({
    c2Address: field(
      '"<host>:<port>" with a DNS name, an IPv4 address or a bracketed IPv6 address, and a port from 1 to 65535',
      parsed(parseC2Address, C2_INPUT),
      { details: 'Defanged dots ("[.]") are accepted', example: 'tunnel.ply.example:4444' },
    ),
    file256Hash: field('a SHA-256 of 64 hexadecimal digits', parsed(parseSha256, SHA256), {
      details: 'In upper or lower case',
      example: EXAMPLE_SHA256,
    }),
    tags: tagsField(),
    referenceLink: referenceField,
    confidenceScore: confidenceField(scale, 'Half of it by default'),
    // Accepted and ignored, so that a fetched report can be posted to another feed.
    id: assigned,
    name: assigned,
    reportedAt: assigned,
    reportedBy: assigned,
    firstSeenID: assigned,
  });
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
