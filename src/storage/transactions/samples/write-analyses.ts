import { type AnalysisReport, familyOf } from '../../../domain/samples/analysis-report.ts';
import type { StoreOutcome } from '../../../ports/sample-store.ts';
import type { Serializers } from '../../../ports/store.ts';
import type { SampleRow } from '../../schema/tables.ts';
import {
  type HashRow,
  insertHash,
  insertSample,
  nextIds,
  selectTombstone,
  updateSample,
} from '../../tables/samples/new-samples.ts';
import {
  type CandidateRows,
  candidateRows,
  freeRowId,
  HASH_KINDS,
  idBlockOf,
  type StoredSample,
  samplesOfRows,
} from '../../tables/samples/sample-rows.ts';
import { putFuzzyHashes } from '../../tables/search/fuzzy-index.ts';
import { each, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { putSampleTexts, removeSampleTexts } from '../search/search-samples.ts';

/**
 * Analyses are written in batches: each step is taken for all of them, which on PostgreSQL is one
 * statement instead of hundreds. That is correct only if no analysis of a batch touches a row of
 * another, so the input is divided into such batches.
 */

/**
 * The largest chunk of an import. On SQLite, words of the full-text index that are inserted one
 * after the other are cheaper; on PostgreSQL longer statements are not faster.
 */
const MAX_PER_BATCH = 1000;

/**
 * A batch with more text is closed, since it is sent as a whole. A single analysis may be longer.
 */
const MAX_BATCH_CHARACTERS = 2_000_000;

/** An analysis with the values to be written. */
export interface PreparedAnalysis {
  readonly report: AnalysisReport;
  readonly family: string | undefined;
  readonly body: string;
}

export interface WriteOutcome extends PreparedAnalysis {
  readonly outcome: StoreOutcome;
  /** The row of its SHA-256, if there is one. */
  readonly sampleId: number | undefined;
}

interface WrittenAnalysis extends WriteOutcome {
  readonly sampleId: number;
}

/** The analyses in order. A new batch starts before one that may touch a row of an earlier one. */
export function* batchesOf(
  analyses: readonly AnalysisReport[],
  serializers: Serializers,
): Generator<readonly PreparedAnalysis[], void> {
  let batch: PreparedAnalysis[] = [];
  let usedBlocks = new Set<number>();
  let length = 0;
  for (const analysis of analyses) {
    const prepared = prepareAnalysis(analysis, serializers);
    const blocks = hashesOf(analysis).map(idBlockOf);
    const touches = blocks.some(
      (one) => usedBlocks.has(one) || usedBlocks.has(one - 1) || usedBlocks.has(one + 1),
    );
    const isFull =
      batch.length >= MAX_PER_BATCH || length + prepared.body.length > MAX_BATCH_CHARACTERS;
    if (batch.length > 0 && (touches || isFull)) {
      yield batch;
      batch = [];
      usedBlocks = new Set();
      length = 0;
    }
    batch.push(prepared);
    for (const block of blocks) usedBlocks.add(block);
    length += prepared.body.length;
  }
  if (batch.length > 0) yield batch;
}

export function prepareAnalysis(
  report: AnalysisReport,
  serializers: Serializers,
): PreparedAnalysis {
  return { report, family: familyOf(report), body: serializers.analysis(report) };
}

/**
 * Writes the analyses of one batch. The caller has locked their files and reports, and updates the
 * reports after the details.
 */
export function* writeAnalyses(
  batch: readonly PreparedAnalysis[],
): UnitOfWork<readonly WriteOutcome[]> {
  const outcomes = yield* outcomesOf(batch);
  const written = writtenAmong(outcomes);
  const replaced = written.filter(({ outcome }) => outcome === 'replaced');
  yield* insertNew(outcomes);
  yield* each(
    updateSample,
    replaced.map((one) => ({ id: one.sampleId, ...valuesOf(one) })),
  );
  yield* removeSampleTexts(replaced.map(({ sampleId }) => sampleId));
  yield* putFuzzyHashes(
    written.map(({ sampleId, report, outcome }) => ({
      sampleId,
      isNew: outcome === 'added',
      analysis: report,
    })),
  );
  yield* putSampleTexts(
    written.map(({ sampleId, report, family }) => ({ sampleId, texts: { ...report, family } })),
  );
  return outcomes;
}

export function writtenAmong(outcomes: readonly WriteOutcome[]): readonly WrittenAnalysis[] {
  return outcomes.filter(
    (one): one is WrittenAnalysis => one.sampleId !== undefined && one.outcome !== 'unchanged',
  );
}

/** The files that an operator has removed. */
export function* removedAmong(hashes: readonly string[]): UnitOfWork<ReadonlySet<string>> {
  const tombstones = yield* each(
    selectTombstone,
    hashes.map((sha256) => ({ sha256: Buffer.from(sha256, 'hex') })),
  );
  return new Set(hashes.filter((_, index) => tombstones[index]?.[0] !== undefined));
}

function hashesOf(report: AnalysisReport): readonly string[] {
  return [report.sha256, report.blake3, report.sha512];
}

type Values = Pick<SampleRow, 'family' | 'analysed_at' | 'body'>;

function valuesOf({ report, family, body }: PreparedAnalysis): Values {
  return { family: family ?? null, analysed_at: report.date.toISOString(), body };
}

interface Decision extends WriteOutcome {
  /** The rows of the hashes of a new file. */
  readonly rowIds: readonly number[];
}

/** Decides about each analysis of a batch. A new file gets its ids, but is not written. */
function* outcomesOf(batch: readonly PreparedAnalysis[]): UnitOfWork<readonly Decision[]> {
  const removed = yield* removedAmong(batch.map(({ report }) => report.sha256));
  const candidates = yield* candidateRows(batch.flatMap(({ report }) => hashesOf(report)));
  const stored = yield* samplesOfRows(candidates);
  const decisions = batch.map((prepared, index): Decision => {
    if (removed.has(prepared.report.sha256)) return refused(prepared, 'removed');
    const own = candidates.slice(index * HASH_KINDS.length, (index + 1) * HASH_KINDS.length);
    return decide(prepared, own, stored);
  });
  const ids = yield* takeSampleIds(decisions.filter(({ outcome }) => outcome === 'added').length);
  let next = 0;
  return decisions.map((decision) => {
    if (decision.outcome !== 'added') return decision;
    const sampleId = ids[next];
    next += 1;
    return { ...decision, sampleId };
  });
}

/** Ids for new samples, in order. On PostgreSQL those of a transaction that fails are lost. */
function* takeSampleIds(count: number): UnitOfWork<readonly number[]> {
  if (count === 0) return [];
  const taken = (yield* rows(nextIds, { count })).map(({ id }) => id);
  if (taken.length === count) return taken.sort((one, other) => one - other);
  const [last = count] = taken;
  return Array.from({ length: count }, (_, index) => last - count + 1 + index);
}

function refused(prepared: PreparedAnalysis, outcome: 'removed' | 'conflict'): Decision {
  return { ...prepared, outcome, sampleId: undefined, rowIds: [] };
}

/** `candidates` are those of each of its hashes, in the order of `HASH_KINDS`. */
function decide(
  prepared: PreparedAnalysis,
  candidates: readonly CandidateRows[],
  stored: ReadonlyMap<number, StoredSample>,
): Decision {
  const [known, second, third] = HASH_KINDS.map((kind, index) => {
    const found = candidates[index] ?? [];
    if (found.length === 0) return undefined;
    const value = Buffer.from(prepared.report[kind], 'hex');
    const samples = found.flatMap(({ sample_id }) => stored.get(sample_id) ?? []);
    return samples.find((sample) => value.equals(sample[kind]));
  });
  // The three hashes must belong to one file: to the stored one, or to none.
  if (second?.id !== known?.id || third?.id !== known?.id) return refused(prepared, 'conflict');
  if (known === undefined)
    return {
      ...prepared,
      outcome: 'added',
      sampleId: undefined,
      rowIds: rowIdsOf(prepared, candidates),
    };
  const outcome = known.body === prepared.body ? 'unchanged' : 'replaced';
  return { ...prepared, outcome, sampleId: known.id, rowIds: [] };
}

/** Unused ids for the rows of its hashes. */
function rowIdsOf(
  { report }: PreparedAnalysis,
  [first = [], second = [], third = []]: readonly CandidateRows[],
): readonly number[] {
  const sha256 = freeRowId(report.sha256, first);
  const blake3 = freeRowId(report.blake3, second, [sha256]);
  return [sha256, blake3, freeRowId(report.sha512, third, [sha256, blake3])];
}

function* insertNew(outcomes: readonly Decision[]): UnitOfWork<void> {
  const samples: SampleRow[] = [];
  const hashes: HashRow[] = [];
  for (const { sampleId: id, rowIds, ...prepared } of outcomes) {
    if (id === undefined || rowIds.length === 0) continue;
    const { sha256, blake3, sha512 } = prepared.report;
    samples.push({
      id,
      sha256: Buffer.from(sha256, 'hex'),
      blake3: Buffer.from(blake3, 'hex'),
      sha512: Buffer.from(sha512, 'hex'),
      ...valuesOf(prepared),
    });
    for (const rowId of rowIds) hashes.push({ id: rowId, sample_id: id });
  }
  yield* each(insertSample, samples);
  yield* each(insertHash, hashes);
}
