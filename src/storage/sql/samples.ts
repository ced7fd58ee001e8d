import { type AnalysisReport, familyOf } from '../../domain/analysis-report.ts';
import type { Act, ReadyForms, Stored } from '../../ports/store.ts';
import { all, query, row, rows, type UnitOfWork } from '../unit-of-work.ts';
import { note } from './audit.ts';
import { DIGEST_KINDS } from './digests.ts';
import { renameReportsOf } from './reports.ts';

const selectBySha256 = query<{ sha256: Uint8Array }>()((db, hole) =>
  db
    .selectFrom('digest')
    .innerJoin('sample', 'sample.id', 'digest.sample_id')
    .select(['sample.id', 'sample.sha256', 'sample.sha512', 'sample.blake3', 'sample.body'])
    .where('digest.value', '=', hole.sha256)
    .where('digest.kind', '=', DIGEST_KINDS.sha256),
);

const selectDigest = query<{ value: Uint8Array; kind: number }>()((db, hole) =>
  db
    .selectFrom('digest')
    .select('sample_id')
    .where('value', '=', hole.value)
    .where('kind', '=', hole.kind),
);

const SAMPLE_COLUMNS = ['sha256', 'sha512', 'blake3', 'analysed_at', 'body'] as const;
interface SampleValues {
  sha256: Uint8Array;
  sha512: Uint8Array;
  blake3: Uint8Array;
  analysed_at: string;
  body: string;
}

interface DigestValues {
  value: Uint8Array;
  kind: number;
  sample_id: number;
  family: string | null;
}

const insertSample = query<SampleValues>()((db, hole) =>
  db.insertInto('sample').values(all(hole, SAMPLE_COLUMNS)).returning('id'),
);

const insertDigest = query<DigestValues>()((db, hole) =>
  db.insertInto('digest').values(all(hole, ['value', 'kind', 'sample_id', 'family'])),
);

const updateFamily = query<{ sha256: Uint8Array; family: string | null }>()((db, hole) =>
  db
    .updateTable('digest')
    .set({ family: hole.family })
    .where('value', '=', hole.sha256)
    .where('kind', '=', DIGEST_KINDS.sha256),
);

const updateSample = query<SampleValues & { id: number }>()((db, hole) =>
  db
    .updateTable('sample')
    .set(all(hole, ['analysed_at', 'body']))
    .where('id', '=', hole.id),
);

const deleteDigests = query<{
  id: number;
  sha256: Uint8Array;
  sha512: Uint8Array;
  blake3: Uint8Array;
}>()((db, hole) =>
  db
    .deleteFrom('digest')
    .where('value', 'in', [hole.sha256, hole.sha512, hole.blake3])
    .where('sample_id', '=', hole.id),
);

const deleteSample = query<{ id: number }>()((db, hole) =>
  db.deleteFrom('sample').where('id', '=', hole.id),
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
  const values = toRow(report, forms);
  const family = familyOf(report);
  if ((yield* row(selectTombstone, values)) !== undefined) return 'removed';
  const known = yield* row(selectBySha256, values);
  if (known === undefined) {
    if (yield* isTaken(values)) return 'conflict';
    yield* addSample(values, family);
  } else {
    if (!isSameFile(known, values)) return 'conflict';
    if (known.body === values.body) return 'unchanged';
    yield* rows(updateSample, { ...values, id: known.id });
    yield* rows(updateFamily, { sha256: values.sha256, family: family ?? null });
  }
  yield* renameReportsOf(report.sha256, family, at.toISOString(), forms);
  return known === undefined ? 'added' : 'replaced';
}

/** Whether another file has one of the other two hashes already. */
function* isTaken({ blake3, sha512 }: SampleValues): UnitOfWork<boolean> {
  return (
    (yield* row(selectDigest, { value: blake3, kind: DIGEST_KINDS.blake3 })) !== undefined ||
    (yield* row(selectDigest, { value: sha512, kind: DIGEST_KINDS.sha512 })) !== undefined
  );
}

function* addSample(values: SampleValues, family: string | undefined): UnitOfWork<void> {
  const inserted = yield* row(insertSample, values);
  if (inserted === undefined) throw new Error('an inserted sample was not returned');
  const sample_id = inserted.id;
  const { sha256, blake3, sha512 } = values;
  const { sha256: first, blake3: second, sha512: third } = DIGEST_KINDS;
  yield* rows(insertDigest, { value: sha256, kind: first, sample_id, family: family ?? null });
  yield* rows(insertDigest, { value: blake3, kind: second, sample_id, family: null });
  yield* rows(insertDigest, { value: sha512, kind: third, sample_id, family: null });
}

export function* purgeSample(
  sha256: string,
  reason: string,
  act: Act,
): UnitOfWork<'deleted' | 'absent'> {
  const value = Buffer.from(sha256, 'hex');
  const owner = yield* row(selectBySha256, { sha256: value });
  if (owner === undefined) return 'absent';
  yield* rows(deleteDigests, owner);
  yield* rows(deleteSample, { id: owner.id });
  yield* rows(putTombstone, {
    sha256: value,
    deleted_at: act.at.toISOString(),
    deleted_by: act.actor,
    reason,
  });
  yield* note(act, 'sample.purge', sha256, { reason });
  return 'deleted';
}

type Digests = Pick<SampleValues, 'sha512' | 'blake3'>;

function isSameFile(one: Digests, other: Digests): boolean {
  return (
    Buffer.compare(one.sha512, other.sha512) === 0 && Buffer.compare(one.blake3, other.blake3) === 0
  );
}

function toRow(report: AnalysisReport, forms: ReadyForms): SampleValues {
  return {
    sha256: Buffer.from(report.sha256, 'hex'),
    sha512: Buffer.from(report.sha512, 'hex'),
    blake3: Buffer.from(report.blake3, 'hex'),
    analysed_at: report.date.toISOString(),
    body: forms.analysis(report),
  };
}
