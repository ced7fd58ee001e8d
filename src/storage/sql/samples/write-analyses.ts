import { type AnalysisReport, familyOf } from '../../../domain/samples/analysis-report.ts';
import type { StoreOutcome } from '../../../ports/sample-store.ts';
import type { Serializers } from '../../../ports/store.ts';
import type { SampleRow } from '../../tables.ts';
import { all, each, query, type UnitOfWork } from '../../unit-of-work.ts';
import { renameReportsOf } from '../reports/rename-reports.ts';
import { putFuzzyHashes } from '../search/fuzzy-index.ts';
import { putSampleTexts, removeSampleTexts } from '../search/search-samples.ts';
import {
  type CandidateRows,
  candidateRows,
  freeRowId,
  idBlockOf,
  KIND_CODES,
  rowAmong,
} from './sample-rows.ts';

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

const COLUMNS = [
  'id',
  'value',
  'kind',
  'sample_id',
  'blake3_id',
  'sha512_id',
  'family',
  'analysed_at',
  'body',
] as const satisfies readonly (keyof SampleRow)[];

const insertSample = query<SampleRow>()((db, parameter) =>
  db.insertInto('sample').values(all(parameter, COLUMNS)),
);

const updateSample = query<Pick<SampleRow, 'id' | 'family' | 'analysed_at' | 'body'>>()(
  (db, parameter) =>
    db
      .updateTable('sample')
      .set(all(parameter, ['family', 'analysed_at', 'body']))
      .where('id', '=', parameter.id),
);

const selectTombstone = query<{ sha256: Uint8Array }>()((db, parameter) =>
  db.selectFrom('sample_tombstone').select('reason').where('sha256', '=', parameter.sha256),
);

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

/** Writes the analyses of one batch. The caller has locked their files and these feeds. */
export function* writeAnalyses(
  batch: readonly PreparedAnalysis[],
  lockedFeeds: ReadonlySet<string>,
  at: Date,
  serializers: Serializers,
): UnitOfWork<readonly WriteOutcome[]> {
  const removed = yield* removedAmong(batch.map(({ report }) => report.sha256));
  const candidates = yield* candidateRows(batch.flatMap(({ report }) => hashesOf(report)));
  const outcomes = batch.map((prepared, index): Decision => {
    if (removed.has(prepared.report.sha256)) return refused(prepared, 'removed');
    return decide(prepared, candidates.slice(index * KINDS.length, (index + 1) * KINDS.length));
  });
  const written = writtenAmong(outcomes);
  const replaced = written.filter(({ outcome }) => outcome === 'replaced');
  yield* each(
    insertSample,
    outcomes.flatMap(({ added }) => added),
  );
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
  yield* renameReportsOf(
    written.map(({ report, family }) => ({ sha256: report.sha256, family })),
    lockedFeeds,
    at,
    serializers,
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

const KINDS = ['sha256', 'blake3', 'sha512'] as const;

function hashesOf(report: AnalysisReport): readonly string[] {
  return KINDS.map((kind) => report[kind]);
}

type Values = Pick<SampleRow, 'family' | 'analysed_at' | 'body'>;

function valuesOf({ report, family, body }: PreparedAnalysis): Values {
  return { family: family ?? null, analysed_at: report.date.toISOString(), body };
}

interface Decision extends WriteOutcome {
  /** The rows of a new file. */
  readonly added: readonly SampleRow[];
}

function refused(prepared: PreparedAnalysis, outcome: 'removed' | 'conflict'): Decision {
  return { ...prepared, outcome, sampleId: undefined, added: [] };
}

/** `candidates` are those of each of its hashes, in the order of `KINDS`. */
function decide(prepared: PreparedAnalysis, candidates: readonly CandidateRows[]): Decision {
  const [known, second, third] = KINDS.map((kind, index) =>
    rowAmong(candidates[index] ?? [], prepared.report[kind], kind),
  );
  // The three hashes must belong to one file: to the stored one, or to none.
  if (second?.sample_id !== known?.id || third?.sample_id !== known?.id)
    return refused(prepared, 'conflict');
  if (known === undefined) return addSample(prepared, candidates);
  const outcome = known.body === prepared.body ? 'unchanged' : 'replaced';
  return { ...prepared, outcome, sampleId: known.id, added: [] };
}

function addSample(prepared: PreparedAnalysis, candidates: readonly CandidateRows[]): Decision {
  const { sha256, blake3, sha512 } = prepared.report;
  const [first = [], second = [], third = []] = candidates;
  const id = freeRowId(sha256, first);
  const blake3_id = freeRowId(blake3, second, [id]);
  const sha512_id = freeRowId(sha512, third, [id, blake3_id]);
  const sample: SampleRow = {
    id,
    value: Buffer.from(sha256, 'hex'),
    kind: KIND_CODES.sha256,
    sample_id: id,
    blake3_id,
    sha512_id,
    ...valuesOf(prepared),
  };
  const added = [
    sample,
    referenceRow(blake3_id, blake3, KIND_CODES.blake3, id),
    referenceRow(sha512_id, sha512, KIND_CODES.sha512, id),
  ];
  return { ...prepared, outcome: 'added', sampleId: id, added };
}

/** The row of another hash, which refers to that of the SHA-256. */
function referenceRow(id: number, hex: string, kind: number, sampleId: number): SampleRow {
  return {
    id,
    value: Buffer.from(hex, 'hex'),
    kind,
    sample_id: sampleId,
    blake3_id: null,
    sha512_id: null,
    family: null,
    analysed_at: null,
    body: null,
  };
}
