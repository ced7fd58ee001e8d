import { sql } from 'kysely';
import { type IpVersion, prefixOfKey } from '../../../domain/services/route.ts';
import { all, query } from '../../units/query.ts';
import { each, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/**
 * The lengths of the prefixes of declared networks, of which there are a few. An address is looked
 * up once for each of them, not for each possible length.
 */

interface LengthValues {
  version: IpVersion;
  length: number;
  patterns: number;
}

const addToLength = query<LengthValues>()((db, parameter) =>
  db
    .insertInto('network_length')
    .values(all(parameter, ['version', 'length', 'patterns']))
    .onConflict((conflict) =>
      conflict.columns(['version', 'length']).doUpdateSet({
        patterns: sql<number>`network_length.patterns + excluded.patterns`,
      }),
    ),
);

const deleteUnused = query()((db) => db.deleteFrom('network_length').where('patterns', '=', 0));

interface Keyed {
  readonly key: string;
}

/** Counts patterns that a service declares, and those that it does not declare any more. */
export function* changeLengths({
  added,
  deleted,
}: {
  readonly added: readonly Keyed[];
  readonly deleted: readonly Keyed[];
}): UnitOfWork<void> {
  const counts = new Map<string, LengthValues>();
  const count = (patterns: readonly Keyed[], by: number) => {
    for (const { key } of patterns) {
      const prefix = prefixOfKey(key);
      if (prefix === undefined) continue;
      const name = `${prefix.version}/${prefix.length}`;
      const known = counts.get(name) ?? { ...prefix, patterns: 0 };
      counts.set(name, { ...known, patterns: known.patterns + by });
    }
  };
  count(deleted, -1);
  count(added, 1);
  // In one order, so that two changes of services do not deadlock.
  const changed = [...counts.values()]
    .filter(({ patterns }) => patterns !== 0)
    .sort((one, other) => one.version - other.version || one.length - other.length);
  if (changed.length === 0) return;
  yield* each(addToLength, changed);
  yield* rows(deleteUnused, {});
}
