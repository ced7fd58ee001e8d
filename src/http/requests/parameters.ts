import { z } from 'zod';
import { isVisible } from '../../domain/reports/report.ts';
import { parseSha256 } from '../../domain/samples/file-hash.ts';
import { parseUuid } from '../../domain/uuid.ts';
import {
  FILE_HASH,
  FUZZY_HASH,
  IDEMPOTENCY_KEY,
  SHA256,
  SLUG,
  TLSH,
  UUID,
  visible,
} from '../openapi/text-formats.ts';
import { listOf } from './bounded-list.ts';
import {
  compileValidator,
  field,
  flagText,
  integerText,
  parsed,
  skipValidation,
  strictObject,
} from './field-rules.ts';

/**
 * Path parameters, query parameters and headers. Those that the gate or a handler validates are
 * only described here.
 */

export const serviceParams = z.object({
  service: z
    .string()
    .meta({ description: 'The name of the service, case-sensitive', examples: ['ply'], ...SLUG }),
});

export const reportParams = serviceParams.extend({
  id: field('the id of a report (a UUID)', parsed(parseUuid, UUID), {
    example: '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80',
  }),
});

export const mispFileOfAllParams = z.object({
  file: z.string().meta({
    description: 'The UUID of an event and `.json`',
    pattern: '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\\.json$',
    examples: ['5a1c3b7e-6d0f-5e52-9d6c-0f5a3c1e7b90.json'],
  }),
});

export const mispFileParams = serviceParams.extend(mispFileOfAllParams.shape);

export const reportQuery = z.object({
  report: field('the id of a report (a UUID), given once', parsed(parseUuid, UUID), {
    example: '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80',
  }),
});

export const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .optional()
    .meta({
      description:
        'A key that you choose for this report: repeating the request with it creates no second report',
      ...IDEMPOTENCY_KEY,
    }),
});

export const hashParams = z.object({
  hash: z.string().meta({
    description: 'The SHA-256, SHA-512 or BLAKE3 of the file, in hexadecimal',
    examples: ['275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f'],
    ...FILE_HASH,
  }),
});

export const detailsQuery = z.object({
  report: field('true or false', flagText.optional(), {
    details: 'Whether to return the report as well, for the same unit; false by default',
  }),
});

/** The query is checked before a unit is spent, the hash after it. */
export function compileQueryValidator(part: Parameters<typeof compileValidator>[0]) {
  return part.httpPart === 'querystring' ? compileValidator(part) : skipValidation();
}

export const preferHeaders = z.object({
  prefer: z
    .string()
    .optional()
    .meta({
      description: '`wait=N`: respond when the analysis is done, or after N seconds (at most 30)',
      examples: ['wait=10'],
    }),
});

export const measureQuery = z.object({
  by: field('ssdeep or tlsh', z.enum(['ssdeep', 'tlsh']).optional(), {
    details: 'The digest by which files are found and ordered; ssdeep by default',
  }),
});

export const digestQuery = z.object({
  ssdeep: z
    .string()
    .optional()
    .meta({
      description: 'A fuzzy hash in the form of ssdeep, without a file name',
      examples: ['3:AIO9AJraNvsgzsVqSwHqiUZ:AeJuOgzskwZ'],
      ...FUZZY_HASH,
    }),
  tlsh: z
    .string()
    .optional()
    .meta({
      description: 'A TLSH digest, with or without the prefix `T1`, instead of `ssdeep`',
      examples: ['T16D119524E6514D7D1F175ADCD04E44DF554FCDE302C5002517F186D1C510294440ED1D'],
      ...TLSH,
    }),
});

export const MAX_BATCH = 100;

export const hashesBody = strictObject({
  hashes: field(
    `a list of 1 to ${MAX_BATCH} texts`,
    listOf(z.string(), { min: 1, max: MAX_BATCH }),
    {
      details: 'Each a SHA-256, SHA-512 or BLAKE3 in hexadecimal',
      example: ['275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f'],
    },
  ),
});

export const sha256Params = z.object({
  sha256: field('a SHA-256 of 64 hexadecimal digits', parsed(parseSha256, SHA256)),
});

export const uuidParams = z.object({ id: field('a UUID', parsed(parseUuid, UUID)) });

export const accountParams = z.object({
  id: z
    .string()
    .meta({ description: 'The id or the name of the account', examples: ['alice'], minLength: 1 }),
});

export const reporterParams = z.object({
  name: z.string().meta({
    description: 'The name of the reporter, as in `reportedBy`, case-sensitive',
    examples: ['alice'],
    minLength: 1,
  }),
});

export const slugParams = z.object({
  slug: z
    .string()
    .meta({ description: 'The name of the service, case-sensitive', examples: ['ply'], ...SLUG }),
});

const REASON = 'a text of 1 to 500 visible characters';
const reason = z.string().max(500).refine(isVisible).meta(visible(500));

export const reasonQuery = z.object({
  reason: field(REASON, reason.optional(), {
    details: 'It is stored with the tombstone; "none given" by default',
  }),
});

/** The command line requires a reason. */
export const requiredReason = z.object({ reason: field(REASON, reason) });

/** A page of a list with descending ids. */
export const pageQuery = z.object({
  limit: field('an integer from 1 to 1000', integerText(1, 1000).optional(), {
    details: '100 by default',
  }),
  before: field('the id of an entry', integerText(1, Number.MAX_SAFE_INTEGER).optional(), {
    details: 'Only entries before this one are returned',
  }),
});

/** A page of the audit log. */
export const auditQuery = pageQuery.extend({
  actor: field('a text of 1 to 128 characters', z.string().min(1).max(128).optional(), {
    details: 'The name of the account that acted, or "command line"',
    example: 'alice',
  }),
  action: field('a text of 1 to 64 characters', z.string().min(1).max(64).optional(), {
    details: 'The action, or the part before its dot for all actions of a kind',
    example: 'account.add',
  }),
  subject: field('a text of 1 to 200 characters', z.string().min(1).max(200).optional(), {
    details: 'What the action changed, such as the name of an account',
  }),
});
