import type { Endpoint, Extraction, Recognition } from '../extractor.ts';

const SEVERAL = 'several settings with different servers: it is not certain which are used';

/**
 * The result if one program contains several valid settings: unused ones, or decoys. The first, if
 * all of them name the same servers; otherwise none of the servers is certain.
 */
export function agreedSettings(
  readings: readonly (Extraction | Recognition)[],
): Extraction | Recognition | undefined {
  const extractions = readings.filter((one) => 'endpoints' in one);
  const [first] = extractions;
  if (first === undefined) return readings[0];
  const servers = new Set(extractions.map(({ endpoints }) => serversOf(endpoints)));
  return servers.size === 1 ? first : { unread: SEVERAL, offset: first.offset };
}

function serversOf(endpoints: readonly Endpoint[]): string {
  const servers = endpoints.map(({ host, port, url }) => `${url ?? host} ${port}`.toLowerCase());
  return [...new Set(servers)].toSorted().join('\n');
}
