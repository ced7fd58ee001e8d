import type { HashKind } from '../../domain/file-hash.ts';
import { query, row, type UnitOfWork } from '../unit-of-work.ts';

/** In the order in which a lookup tries them. */
export const DIGEST_KINDS: Readonly<Record<HashKind, number>> = { sha256: 1, blake3: 2, sha512: 3 };

const selectFamily = query<{ sha256: Uint8Array }>()((db, hole) =>
  db
    .selectFrom('digest')
    .select('family')
    .where('value', '=', hole.sha256)
    .where('kind', '=', DIGEST_KINDS.sha256),
);

export function* familyBySha256(sha256: Uint8Array): UnitOfWork<string | undefined> {
  return (yield* row(selectFamily, { sha256 }))?.family ?? undefined;
}
