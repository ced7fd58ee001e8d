import { type AnalysisReport, familyOf } from '../../domain/analysis-report.ts';
import type { Act, ReadyForms, Stored } from '../../ports/store.ts';
import type { DigestRow } from '../tables.ts';
import { all, query, row, rows, type UnitOfWork } from '../unit-of-work.ts';
import { note } from './audit.ts';
import { DIGEST_KINDS, type FoundDigest, findDigest, freeDigestId } from './digests.ts';
import { renameReportsOf } from './reports.ts';

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

export function* putSamples(
  reports: readonly AnalysisReport[],
  at: Date,
  forms: ReadyForms,
): UnitOfWork<readonly Stored[]> {
  const outcomes: Stored[] = [];
  for (const report of reports) outcomes.push(yield* putSample(report, at, forms));
  return outcomes;
}

function* putSample(report: AnalysisReport, at: Date, forms: ReadyForms): UnitOfWork<Stored> {
  const family = familyOf(report);
  const values = {
    family: family ?? null,
    analysed_at: report.date.toISOString(),
    body: forms.analysis(report),
  };
  const sha256 = Buffer.from(report.sha256, 'hex');
  if ((yield* row(selectTombstone, { sha256 })) !== undefined) return 'removed';
  const known = yield* findDigest({ hex: report.sha256, kinds: ['sha256'] });
  if (!(yield* isOneFile(report, known))) return 'conflict';
  if (known === undefined) yield* addSample(report, values);
  else if (known.body === values.body) return 'unchanged';
  else yield* rows(updateSample, { id: known.id, ...values });
  yield* renameReportsOf(report.sha256, family, at.toISOString(), forms);
  return known === undefined ? 'added' : 'replaced';
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
): UnitOfWork<void> {
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
  const found = yield* findDigest({ hex: sha256, kinds: ['sha256'] });
  if (found === undefined) return 'absent';
  const gone = yield* row(deleteSample, { id: found.id });
  // The other two hashes always stand with the first.
  yield* rows(deleteDigests, { one: gone?.blake3_id ?? -1, other: gone?.sha512_id ?? -1 });
  yield* rows(putTombstone, {
    sha256: Buffer.from(sha256, 'hex'),
    deleted_at: act.at.toISOString(),
    deleted_by: act.actor,
    reason,
  });
  yield* note(act, 'sample.purge', sha256, { reason });
  return 'deleted';
}
