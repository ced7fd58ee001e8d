import type { HashKind } from '../../../domain/samples/file-hash.ts';
import { type HashPart, hasPart } from '../../../domain/search-query.ts';
import { hashesWithStart } from '../../tables/reports/reports-of-file.ts';
import { samplesWithPart } from '../../tables/samples/sample-rows.ts';
import { UPLOADS_IN_RANGE } from '../../tables/samples/shown-samples.ts';
import { newestWithPrefix } from '../../tables/search/search-text.ts';
import { rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { type FoundReport, reportsOfFile } from './search-reports.ts';
import { type FoundSample, HASH_PREFIX, samplesOf } from './search-samples.ts';

/** The limit on files of each kind of hash. More than one or two are the work of an attacker. */
const MAX_FILES = 20;

const DIGITS: Readonly<Record<HashKind, number>> = { sha256: 64, blake3: 64, sha512: 128 };

export interface FoundByPart {
  readonly samples: readonly FoundSample[];
  readonly reports: readonly FoundReport[];
  readonly isBounded: boolean;
}

/** The files of which a hash has this part, and their reports. */
export function* findByPart(part: HashPart | undefined, limit: number): UnitOfWork<FoundByPart> {
  if (part === undefined) return { samples: [], reports: [], isBounded: false };
  const byLongHash = yield* samplesWithPart(part, MAX_FILES);
  // The index has the words, but not the texts: the end of a shorter hash cannot be compared.
  const byShortHash =
    part.end === ''
      ? yield* newestWithPrefix('sample_text', `${HASH_PREFIX}${part.start}`, MAX_FILES)
      : [];
  const ids = new Set([...byLongHash.found, ...byShortHash]);
  const analysed = yield* samplesOf(new Map([...ids].map((id) => [id, 'prefix'])));
  const unfinished = yield* uploadsWithPart(part);
  const reported = part.start.length > DIGITS.sha256 ? [] : yield* reportedWithPart(part);
  const samples = [...analysed, ...unfinished];
  const reports: FoundReport[] = [];
  for (const sha256 of new Set([...samples.map((sample) => sample.sha256), ...reported]))
    reports.push(...(yield* reportsOfFile(sha256, 'prefix', limit)));
  return {
    samples,
    reports,
    isBounded:
      byLongHash.isBounded || byShortHash.length >= MAX_FILES || reported.length >= MAX_FILES,
  };
}

function* reportedWithPart(part: HashPart): UnitOfWork<readonly string[]> {
  const hashes = yield* hashesWithStart(part.start, MAX_FILES);
  return hashes.filter((sha256) => hasPart(sha256, part));
}

/** Uploads without an analysis. */
function* uploadsWithPart(part: HashPart): UnitOfWork<readonly FoundSample[]> {
  const found = new Map<string, FoundSample>();
  for (const kind of ['sha256', 'blake3', 'sha512'] as const) {
    if (part.start.length > DIGITS[kind]) continue;
    const [from, to] = ['0', 'f'].map((digit) =>
      Buffer.from(part.start.padEnd(DIGITS[kind], digit), 'hex'),
    ) as [Buffer, Buffer];
    for (const upload of yield* rows(UPLOADS_IN_RANGE[kind], { from, to, limit: MAX_FILES })) {
      if (upload.state === 'done' || !hasPart(hexOf(upload[kind]), part)) continue;
      const sha256 = hexOf(upload.sha256);
      const { file_name: fileName, uploaded_at: at } = upload;
      found.set(sha256, { match: 'prefix', at, sha256, fileName, tags: [] });
    }
  }
  return [...found.values()];
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
