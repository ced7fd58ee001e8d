import { sql } from 'kysely';
import { isRefusedHost, NETWORK_KEY_START } from '../../domain/services/route.ts';
import { rows } from '../units/unit-of-work.ts';
import { type Check, pagedCheck, statement } from './check.ts';
import { selectServices } from './services.ts';

const PAGE = 20;

const selectLengths = statement<{ version: number; length: number; patterns: number }>(
  () => sql`select version, length, patterns from network_length order by version, length`,
);

/** `length(key)` is that of the text: the version and a slash come before the bits. */
const countLengths = statement<{ version: number; length: number; patterns: number }>(
  () => sql`
    select cast(substr(key, 1, 1) as integer) as version,
      length(key) - ${sql.lit(NETWORK_KEY_START)} as length, count(*) as patterns
    from service_pattern
    where substr(key, 1, ${sql.lit(NETWORK_KEY_START)}) in ('4/', '6/')
    group by 1, 2 order by 1, 2`,
);

/** Lookups of addresses try the lengths that the table has, and no others. */
export const networkLengths: Check = {
  name: 'lengths of networks of services',
  *part() {
    const counted = (yield* rows(countLengths, {})).map(describeLength);
    const stored = (yield* rows(selectLengths, {})).map(describeLength);
    const isSame = counted.join() === stored.join();
    return {
      examined: stored.length,
      wrong: isSame ? [] : [`networks by length: ${stored} are stored, ${counted} are declared`],
      next: undefined,
    };
  },
};

function describeLength({ version, length, patterns }: Record<string, number>): string {
  return `IPv${version}/${length}: ${patterns}`;
}

/** Such hosts can no longer be declared. Those of before are kept, and ignored. */
export const publicSuffixes = pagedCheck('public suffixes among the hosts of services', {
  page: (after) => rows(selectServices, { after: Number(after ?? 0), limit: PAGE }),
  keyOf: ({ id }) => id,
  *findingsIn(services) {
    return services.flatMap(({ slug, hosts }) =>
      (JSON.parse(hosts) as readonly string[])
        .filter(isRefusedHost)
        .map(
          (host) =>
            `${slug}: ${host} is a public suffix, by which no C2 is routed; declare the names of the service instead`,
        ),
    );
  },
});
