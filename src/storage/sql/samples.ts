import { type AnalysisReport, familyOf } from '../../domain/analysis-report.ts';
import type { Act } from '../../ports/act.ts';
import type { Stored } from '../../ports/sample-store.ts';
import type { ReadyForms } from '../../ports/store.ts';
import type { DigestRow } from '../tables.ts';
import { all, lockFiles, query, row, rows, type UnitOfWork } from '../unit-of-work.ts';
import { note } from './audit.ts';
import { DIGEST_KINDS, type FoundDigest, findDigest, freeDigestId } from './digests.ts';
import { indexNow, putLikeness, removeLikeness } from './fuzzy-index.ts';
import { removeJob } from './jobs.ts';
import { lockReportsOf, renameReportsOf } from './reports.ts';
import { removeC2s } from './sample-c2s.ts';
import { removeDetails } from './sample-details.ts';
import { putSampleText, removeSampleText } from './search-samples.ts';
import { removeUpload, settleFailedUpload } from './uploads.ts';

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
] as const satisfies readonly (keyof DigestRow)[];

const insertDigest = query<DigestRow>()((db, hole) =>
  db.insertInto('digest').values(all(hole, COLUMNS)),
);

const updateSample = query<Pick<DigestRow, 'id' | 'family' | 'analysed_at' | 'body'>>()(
  (db, hole) =>
    db
      .updateTable('digest')
      .set(all(hole, ['family', 'analysed_at', 'body']))
      .where('id', '=', hole.id),
);

const deleteSample = query<{ id: number }>()((db, hole) =>
  db.deleteFrom('digest').where('id', '=', hole.id).returning(['blake3_id', 'sha512_id']),
);

const deleteDigests = query<{ one: number; other: number }>()((db, hole) =>
  db.deleteFrom('digest').where('id', 'in', [hole.one, hole.other]),
);

const putTombstone = query<{
  sha256: Uint8Array;
  deleted_at: string;
  deleted_by: string;
  reason: string;
}>()((db, hole) =>
  db
    .insertInto('sample_tombstone')
    .values(all(hole, ['sha256', 'deleted_at', 'deleted_by', 'reason'])),
);

const selectTombstone = query<{ sha256: Uint8Array }>()((db, hole) =>
  db.selectFrom('sample_tombstone').select('reason').where('sha256', '=', hole.sha256),
);

/** As many reports at once get into the index of similar files with their transaction. */
const INDEXED_AT_ONCE = 10;

export function* putSamples(
  reports: readonly AnalysisReport[],
  at: Date,
  forms: ReadyForms,
): UnitOfWork<readonly Stored[]> {
  const outcomes: Stored[] = [];
  yield* lockReportsOf(reports.map(({ sha256 }) => sha256));
  for (const report of reports) {
    const { outcome, sampleId } = yield* putReport(report, at, forms);
    outcomes.push(outcome);
    if (sampleId === undefined || outcome === 'unchanged') continue;
    // What lies behind a report of ours says nothing of one that came from elsewhere.
    if (outcome === 'replaced') {
      yield* removeDetails(sampleId);
      yield* removeC2s(sampleId);
    }
    yield* settleFailedUpload(report.sha256, at);
    if (reports.length <= INDEXED_AT_ONCE) yield* indexNow(sampleId);
  }
  return outcomes;
}

export interface PutReport {
  readonly outcome: Stored;
  /** The row of its SHA-256, where it stands. */
  readonly sampleId: number | undefined;
}

export function* putReport(
  report: AnalysisReport,
  at: Date,
  forms: ReadyForms,
): UnitOfWork<PutReport> {
  const family = familyOf(report);
  const values = {
    family: family ?? null,
    analysed_at: report.date.toISOString(),
    body: forms.analysis(report),
  };
  if (yield* isRemoved(report.sha256)) return { outcome: 'removed', sampleId: undefined };
  const known = yield* findDigest({ hex: report.sha256, kinds: ['sha256'] });
  if (!(yield* isOneFile(report, known))) return { outcome: 'conflict', sampleId: undefined };
  if (known?.body === values.body) return { outcome: 'unchanged', sampleId: known.id };
  const sampleId = known?.id ?? (yield* addSample(report, values));
  if (known !== undefined) {
    yield* rows(updateSample, { id: sampleId, ...values });
    yield* removeSampleText(sampleId);
  }
  yield* putLikeness(sampleId, report);
  yield* putSampleText(sampleId, { ...report, family });
  yield* renameReportsOf(report.sha256, family, at, forms);
  return { outcome: known === undefined ? 'added' : 'replaced', sampleId };
}

export function* isRemoved(sha256: string): UnitOfWork<boolean> {
  const tombstone = yield* row(selectTombstone, { sha256: Buffer.from(sha256, 'hex') });
  return tombstone !== undefined;
}

/** Whether all three hashes are those of one file: of the known one, or of none. */
function* isOneFile(
  { blake3, sha512 }: AnalysisReport,
  known: FoundDigest | undefined,
): UnitOfWork<boolean> {
  const second = yield* findDigest({ hex: blake3, kinds: ['blake3'] });
  const third = yield* findDigest({ hex: sha512, kinds: ['sha512'] });
  return second?.sample_id === known?.id && third?.sample_id === known?.id;
}

function* addSample(
  { sha256, blake3, sha512 }: AnalysisReport,
  values: Pick<DigestRow, 'family' | 'analysed_at' | 'body'>,
): UnitOfWork<number> {
  const id = yield* freeDigestId(sha256, []);
  const blake3_id = yield* freeDigestId(blake3, [id]);
  const sha512_id = yield* freeDigestId(sha512, [id, blake3_id]);
  yield* rows(insertDigest, {
    id,
    value: Buffer.from(sha256, 'hex'),
    kind: DIGEST_KINDS.sha256,
    sample_id: id,
    blake3_id,
    sha512_id,
    ...values,
  });
  yield* rows(insertDigest, pointer(blake3_id, blake3, DIGEST_KINDS.blake3, id));
  yield* rows(insertDigest, pointer(sha512_id, sha512, DIGEST_KINDS.sha512, id));
  return id;
}

/** The row of another hash, which leads to that of the SHA-256. */
function pointer(id: number, hex: string, kind: number, sampleId: number): DigestRow {
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

export function* purgeSample(
  sha256: string,
  reason: string,
  act: Act,
): UnitOfWork<'deleted' | 'absent'> {
  yield* lockFiles([sha256]);
  const hadReport = yield* removeReport(sha256);
  const wasUploaded = yield* removeUpload(sha256);
  if (!hadReport && !wasUploaded) return 'absent';
  yield* removeJob('analyse', sha256, act.at);
  yield* rows(putTombstone, {
    sha256: Buffer.from(sha256, 'hex'),
    deleted_at: act.at.toISOString(),
    deleted_by: act.actor,
    reason,
  });
  yield* note(act, 'sample.purge', sha256, { reason });
  return 'deleted';
}

/** Whether there was one. */
function* removeReport(sha256: string): UnitOfWork<boolean> {
  const found = yield* findDigest({ hex: sha256, kinds: ['sha256'] });
  if (found === undefined) return false;
  yield* removeSampleText(found.id);
  yield* removeLikeness(found.id);
  yield* removeDetails(found.id);
  yield* removeC2s(found.id);
  const gone = yield* row(deleteSample, { id: found.id });
  // The other two hashes always stand with the first.
  yield* rows(deleteDigests, { one: gone?.blake3_id ?? -1, other: gone?.sha512_id ?? -1 });
  return true;
}
