import { parseC2Address } from '../../domain/reports/c2-address.ts';
import { isReference, isTag, MAX_TAGS, type ReportDraft } from '../../domain/reports/report.ts';
import { parseSha256 } from '../../domain/samples/file-hash.ts';

/** All members that a create may have, some of which it ignores. */
const MEMBERS: ReadonlySet<string> = new Set([
  'c2Address',
  'file256Hash',
  'tags',
  'referenceLink',
  'confidenceScore',
  'id',
  'name',
  'reportedAt',
  'reportedBy',
  'firstSeenID',
]);

const NO_TAGS: readonly string[] = [];

/**
 * Reads the body of a create, parsed from JSON, without the schema, which is slower.
 * Returns `undefined` for every body that it does not recognise, valid or not: the schema
 * decides about those, and states the problems. What is returned equals the output of the schema.
 */
export function readUsualDraft(body: unknown, scale: number): ReportDraft | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  for (const member in body) if (!MEMBERS.has(member)) return undefined;
  const { c2Address, file256Hash, tags, referenceLink, confidenceScore } = body as Readonly<
    Record<string, unknown>
  >;
  const c2 = typeof c2Address === 'string' ? parseC2Address(c2Address) : undefined;
  const sha256 = typeof file256Hash === 'string' ? parseSha256(file256Hash) : undefined;
  if (c2 === undefined || sha256 === undefined) return undefined;
  if (!isTags(tags) || !isLink(referenceLink) || !isConfidence(confidenceScore, scale))
    return undefined;
  return {
    tags: tags ?? NO_TAGS,
    c2,
    sha256,
    reference: referenceLink,
    confidence: confidenceScore,
  };
}

function isTags(value: unknown): value is readonly string[] | undefined {
  if (value === undefined) return true;
  if (!Array.isArray(value) || value.length > MAX_TAGS) return false;
  for (const tag of value) if (typeof tag !== 'string' || !isTag(tag)) return false;
  return true;
}

function isLink(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && isReference(value));
}

function isConfidence(value: unknown, scale: number): value is number | undefined {
  if (value === undefined) return true;
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= scale;
}
