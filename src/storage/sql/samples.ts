import type { HashKind } from '../../domain/file-hash.ts';
import { nameReport } from '../../domain/report.ts';
import type { Act, NewSample, Stored } from '../../ports/store.ts';
import { all, query, row, rows, type UnitOfWork } from '../unit-of-work.ts';
import { note } from './audit.ts';
import { appendEvent, takeSequence } from './feed.ts';

/** In the order in which a lookup tries them. */
export const DIGEST_KINDS: Readonly<Record<HashKind, number>> = { sha256: 1, blake3: 2, sha512: 3 };

const selectFamily = query<{ sha256: Uint8Array }>()((db, hole) =>
  db
    .selectFrom('digest')
    .innerJoin('sample', 'sample.id', 'digest.sample_id')
    .select('sample.family')
    .where('digest.value', '=', hole.sha256)
    .where('digest.kind', '=', DIGEST_KINDS.sha256),
);

const selectOwner = query<{ value: Uint8Array; kind: number }>()((db, hole) =>
  db
    .selectFrom('digest')
    .innerJoin('sample', 'sample.id', 'digest.sample_id')
    .select(['sample.id', 'sample.sha256', 'sample.sha512', 'sample.blake3', 'sample.body'])
    .where('digest.value', '=', hole.value)
    .where('digest.kind', '=', hole.kind),
);

const SAMPLE_COLUMNS = ['sha256', 'sha512', 'blake3', 'family', 'analysed_at', 'body'] as const;
interface SampleValues {
  sha256: Uint8Array;
  sha512: Uint8Array;
  blake3: Uint8Array;
  family: string | null;
  analysed_at: string;
  body: string;
}

const insertSample = query<SampleValues>()((db, hole) =>
  db.insertInto('sample').values(all(hole, SAMPLE_COLUMNS)).returning('id'),
);

const insertDigest = query<{ value: Uint8Array; kind: number; sample_id: number }>()((db, hole) =>
  db.insertInto('digest').values(all(hole, ['value', 'kind', 'sample_id'])),
);

const updateSample = query<SampleValues & { id: number }>()((db, hole) =>
  db
    .updateTable('sample')
    .set(all(hole, ['family', 'analysed_at', 'body']))
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

const selectReportsOf = query<{ sha256: string }>()((db, hole) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select(['report.id', 'report.name', 'report.tags', 'service.slug'])
    .where('report.sha256', '=', hole.sha256)
    .orderBy('report.id'),
);

const renameReport = query<{ id: string; name: string; sequence: number }>()((db, hole) =>
  db
    .updateTable('report')
    .set(all(hole, ['name', 'sequence']))
    .where('id', '=', hole.id),
);

export function* familyBySha256(sha256: Uint8Array): UnitOfWork<string | undefined> {
  return (yield* row(selectFamily, { sha256 }))?.family ?? undefined;
}

export function* putSamples(
  samples: readonly NewSample[],
  at: Date,
): UnitOfWork<readonly Stored[]> {
  const outcomes: Stored[] = [];
  for (const sample of samples) outcomes.push(yield* putSample(sample, at));
  return outcomes;
}

function* putSample(sample: NewSample, at: Date): UnitOfWork<Stored> {
  const values = toRow(sample);
  if ((yield* row(selectTombstone, { sha256: values.sha256 })) !== undefined) return 'removed';
  const digests: readonly (readonly [Uint8Array, number])[] = [
    [values.sha256, DIGEST_KINDS.sha256],
    [values.blake3, DIGEST_KINDS.blake3],
    [values.sha512, DIGEST_KINDS.sha512],
  ];
  let known: { readonly id: number; readonly body: string } | undefined;
  for (const [value, kind] of digests) {
    const owner = yield* row(selectOwner, { value, kind });
    if (owner === undefined) continue;
    if (!isSameFile(owner, values)) return 'conflict';
    known = owner;
  }
  if (known !== undefined && known.body === values.body) return 'unchanged';
  if (known === undefined) {
    const inserted = yield* row(insertSample, values);
    if (inserted === undefined) throw new Error('an inserted sample was not returned');
    for (const [value, kind] of digests)
      yield* rows(insertDigest, { value, kind, sample_id: inserted.id });
  } else {
    yield* rows(updateSample, { ...values, id: known.id });
  }
  yield* renameReportsOf(sample.sha256, sample.family, at.toISOString());
  return known === undefined ? 'added' : 'replaced';
}

function* renameReportsOf(
  sha256: string,
  family: string | undefined,
  at: string,
): UnitOfWork<void> {
  for (const report of yield* rows(selectReportsOf, { sha256 })) {
    const name = nameReport(family, JSON.parse(report.tags));
    if (name === report.name) continue;
    const place = yield* takeSequence(report.slug);
    if (place === undefined) throw new Error('a report stands in a feed that does not exist');
    const { serviceId, sequence } = place;
    yield* rows(renameReport, { id: report.id, name, sequence });
    yield* appendEvent({ serviceId, sequence, type: 'updated', reportId: report.id, at });
  }
}

export function* purgeSample(
  sha256: string,
  reason: string,
  act: Act,
): UnitOfWork<'deleted' | 'absent'> {
  const value = Buffer.from(sha256, 'hex');
  const owner = yield* row(selectOwner, { value, kind: DIGEST_KINDS.sha256 });
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

type Digests = Pick<SampleValues, 'sha256' | 'sha512' | 'blake3'>;

function isSameFile(one: Digests, other: Digests): boolean {
  return (['sha256', 'sha512', 'blake3'] as const).every(
    (kind) => Buffer.compare(one[kind], other[kind]) === 0,
  );
}

function toRow(sample: NewSample): SampleValues {
  return {
    sha256: Buffer.from(sample.sha256, 'hex'),
    sha512: Buffer.from(sample.sha512, 'hex'),
    blake3: Buffer.from(sample.blake3, 'hex'),
    family: sample.family ?? null,
    analysed_at: sample.analysedAt.toISOString(),
    body: sample.body,
  };
}
