import { hostKey } from '../../../domain/search-query.ts';
import type { HostOrC2 } from '../../../ports/search-store.ts';
import { query } from '../../units/query.ts';
import { each, type UnitOfWork } from '../../units/unit-of-work.ts';
import { hostOfKey } from './sample-c2s.ts';

/** The C2s that settings of a sample name together with an address. */

/** The limit on the rows of a sample that are read. An analysis has up to 1,000. */
const MAX_ROWS = 100;

/** In the order of the index, so that no more rows are read than the limit. */
const selectFirst = query<{ sampleId: number; limit: number }>()((db, parameter) =>
  db
    .selectFrom('sample_c2')
    .select(['reversed', 'port', 'family', 'number'])
    .where('sample_id', '=', parameter.sampleId)
    .orderBy('reversed')
    .orderBy('port')
    .limit(parameter.limit),
);

const selectOfHost = query<{ sampleId: number; reversed: string; limit: number }>()(
  (db, parameter) =>
    db
      .selectFrom('sample_c2')
      .select(['reversed', 'port', 'family', 'number'])
      .where('sample_id', '=', parameter.sampleId)
      .where('reversed', '=', parameter.reversed)
      .orderBy('port')
      .limit(parameter.limit),
);

const selectOfC2 = query<{ sampleId: number; reversed: string; port: number; limit: number }>()(
  (db, parameter) =>
    db
      .selectFrom('sample_c2')
      .select(['reversed', 'port', 'family', 'number'])
      .where('sample_id', '=', parameter.sampleId)
      .where('reversed', '=', parameter.reversed)
      .where('port', '=', parameter.port)
      .limit(parameter.limit),
);

interface C2OfSettings {
  readonly host: string;
  readonly port: number;
  /** Null in rows that are older than the column. */
  readonly family: string | null;
}

export interface SettingsOfSample {
  /** First those of the address, then others; each once, in the order of the analysis. */
  readonly c2s: readonly C2OfSettings[];
  /** Whether rows were left out. */
  readonly isBounded: boolean;
}

/** The C2s in those settings of each sample that name the address. */
export function* settingsNaming(
  sampleIds: readonly number[],
  { host, port }: HostOrC2,
): UnitOfWork<readonly SettingsOfSample[]> {
  const address = { reversed: hostKey(host), limit: MAX_ROWS };
  const own =
    port === undefined
      ? yield* each(
          selectOfHost,
          sampleIds.map((sampleId) => ({ sampleId, ...address })),
        )
      : yield* each(
          selectOfC2,
          sampleIds.map((sampleId) => ({ sampleId, port, ...address })),
        );
  const all = yield* each(
    selectFirst,
    sampleIds.map((sampleId) => ({ sampleId, limit: MAX_ROWS })),
  );
  return sampleIds.map((_, index) => togetherWith(own[index] ?? [], all[index] ?? []));
}

interface Row {
  readonly reversed: string;
  readonly port: number;
  readonly family: string | null;
  readonly number: number;
}

/** A sample can have the settings of several families. Older rows do not tell which. */
function togetherWith(own: readonly Row[], all: readonly Row[]): SettingsOfSample {
  const families = new Set(own.map(({ family }) => family));
  const together = families.has(null) ? all : all.filter(({ family }) => families.has(family));
  const c2s = new Map<string, C2OfSettings>();
  for (const { reversed, port, family } of [...inOrder(own), ...inOrder(together)]) {
    const key = `${reversed} ${port}`;
    if (!c2s.has(key)) c2s.set(key, { host: hostOfKey(reversed), port, family });
  }
  return {
    c2s: [...c2s.values()],
    isBounded: own.length >= MAX_ROWS || all.length >= MAX_ROWS,
  };
}

function inOrder(found: readonly Row[]): readonly Row[] {
  return found.toSorted((one, other) => one.number - other.number);
}
