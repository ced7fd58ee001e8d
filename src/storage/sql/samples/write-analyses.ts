import { type AnalysisReport, familyOf } from '../../../domain/samples/analysis-report.ts';
import type { Stored } from '../../../ports/sample-store.ts';
import type { Serializers } from '../../../ports/store.ts';
import type { SampleRow } from '../../tables.ts';
import { all, each, query, type UnitOfWork } from '../../unit-of-work.ts';
import { renameReportsOf } from '../reports/rename-reports.ts';
import { putLikenesses } from '../search/fuzzy-index.ts';
import { putSampleTexts, removeSampleTexts } from '../search/search-samples.ts';
import {
  DIGEST_KINDS,
  type DigestsAround,
  digestAmong,
  digestsAround,
  freeDigestId,
  neighbourhoodOf,
} from './sample-rows.ts';

/**
 * Analysis reports are written many at a time: each step is taken for all of them, which across a wire is one statement
 * instead of hundreds. That is only so where none of them touches a row of another, so what comes is cut into such runs.
 */

/** What an import brings at once; those who bring more gain nothing by longer statements. */
const MOST_AT_ONCE = 200;
/** A run that is longer than this ends: all of its text goes over the wire at once. A report alone may be longer. */
const MOST_TEXT = 2_000_000;

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

/** A report and what is written of it. */
export interface ReadyReport {
  readonly report: AnalysisReport;
  readonly family: string | undefined;
  readonly body: string;
}

/** What became of one. */
export interface PutReport extends ReadyReport {
  readonly outcome: Stored;
  /** The row of its SHA-256, where it stands. */
  readonly sampleId: number | undefined;
}

/** One that was written. */
interface Written extends PutReport {
  readonly sampleId: number;
}

/** The reports in their order, cut wherever one may touch a row of another that comes before it. */
export function* runsOf(
  reports: readonly AnalysisReport[],
  serializers: Serializers,
): Generator<readonly ReadyReport[], void> {
  let run: ReadyReport[] = [];
  let taken = new Set<number>();
  let length = 0;
  for (const report of reports) {
    const ready = readyReport(report, serializers);
    const own = hashesOf(report).map(neighbourhoodOf);
    const touches = own.some((one) => taken.has(one) || taken.has(one - 1) || taken.has(one + 1));
    const isFull = run.length >= MOST_AT_ONCE || length + ready.body.length > MOST_TEXT;
    if (run.length > 0 && (touches || isFull)) {
      yield run;
      run = [];
      taken = new Set();
      length = 0;
    }
    run.push(ready);
    for (const one of own) taken.add(one);
    length += ready.body.length;
  }
  if (run.length > 0) yield run;
}

export function readyReport(report: AnalysisReport, serializers: Serializers): ReadyReport {
  return { report, family: familyOf(report), body: serializers.analysis(report) };
}

/** Stores reports of one run, and tells what became of each. Their files are locked already, as are these feeds. */
export function* putReports(
  run: readonly ReadyReport[],
  lockedFeeds: ReadonlySet<string>,
  at: Date,
  serializers: Serializers,
): UnitOfWork<readonly PutReport[]> {
  const removed = yield* removedOf(run.map(({ report }) => report.sha256));
  const around = yield* digestsAround(run.flatMap(({ report }) => hashesOf(report)));
  const put = run.map((ready, place): Decided => {
    if (removed.has(ready.report.sha256)) return refused(ready, 'removed');
    return decide(ready, around.slice(place * KINDS.length, (place + 1) * KINDS.length));
  });
  const written = writtenOf(put);
  const replaced = written.filter(({ outcome }) => outcome === 'replaced');
  yield* each(
    insertSample,
    put.flatMap(({ added }) => added),
  );
  yield* each(
    updateSample,
    replaced.map((one) => ({ id: one.sampleId, ...valuesOf(one) })),
  );
  yield* removeSampleTexts(replaced.map(({ sampleId }) => sampleId));
  yield* putLikenesses(written.map(({ sampleId, report }) => ({ sampleId, likeness: report })));
  yield* putSampleTexts(
    written.map(({ sampleId, report, family }) => ({ sampleId, texts: { ...report, family } })),
  );
  yield* renameReportsOf(
    written.map(({ report, family }) => ({ sha256: report.sha256, family })),
    lockedFeeds,
    at,
    serializers,
  );
  return put;
}

/** Those of which something has changed. */
export function writtenOf(put: readonly PutReport[]): readonly Written[] {
  return put.filter(
    (one): one is Written => one.sampleId !== undefined && one.outcome !== 'unchanged',
  );
}

/** Those that an operator has removed. */
export function* removedOf(hashes: readonly string[]): UnitOfWork<ReadonlySet<string>> {
  const tombstones = yield* each(
    selectTombstone,
    hashes.map((sha256) => ({ sha256: Buffer.from(sha256, 'hex') })),
  );
  return new Set(hashes.filter((_, place) => tombstones[place]?.[0] !== undefined));
}

const KINDS = ['sha256', 'blake3', 'sha512'] as const;

function hashesOf(report: AnalysisReport): readonly string[] {
  return KINDS.map((kind) => report[kind]);
}

type Values = Pick<SampleRow, 'family' | 'analysed_at' | 'body'>;

function valuesOf({ report, family, body }: ReadyReport): Values {
  return { family: family ?? null, analysed_at: report.date.toISOString(), body };
}

interface Decided extends PutReport {
  /** The rows of a file that is new. */
  readonly added: readonly SampleRow[];
}

function refused(ready: ReadyReport, outcome: 'removed' | 'conflict'): Decided {
  return { ...ready, outcome, sampleId: undefined, added: [] };
}

/** `around` is what stands around each of its hashes, in the order of their kinds. */
function decide(ready: ReadyReport, around: readonly DigestsAround[]): Decided {
  const [known, second, third] = KINDS.map((kind, place) =>
    digestAmong(around[place] ?? [], ready.report[kind], kind),
  );
  // All three hashes must be those of one file: of the known one, or of none.
  if (second?.sample_id !== known?.id || third?.sample_id !== known?.id)
    return refused(ready, 'conflict');
  if (known === undefined) return newSample(ready, around);
  const outcome = known.body === ready.body ? 'unchanged' : 'replaced';
  return { ...ready, outcome, sampleId: known.id, added: [] };
}

function newSample(ready: ReadyReport, around: readonly DigestsAround[]): Decided {
  const { sha256, blake3, sha512 } = ready.report;
  const [first = [], second = [], third = []] = around;
  const id = freeDigestId(sha256, first);
  const blake3_id = freeDigestId(blake3, second, [id]);
  const sha512_id = freeDigestId(sha512, third, [id, blake3_id]);
  const sample: SampleRow = {
    id,
    value: Buffer.from(sha256, 'hex'),
    kind: DIGEST_KINDS.sha256,
    sample_id: id,
    blake3_id,
    sha512_id,
    ...valuesOf(ready),
  };
  const added = [
    sample,
    pointer(blake3_id, blake3, DIGEST_KINDS.blake3, id),
    pointer(sha512_id, sha512, DIGEST_KINDS.sha512, id),
  ];
  return { ...ready, outcome: 'added', sampleId: id, added };
}

/** The row of another hash, which leads to that of the SHA-256. */
function pointer(id: number, hex: string, kind: number, sampleId: number): SampleRow {
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
