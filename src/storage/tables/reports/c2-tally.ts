import type { C2Sightings } from '../../../domain/reports/new-report.ts';
import type { C2Key } from './c2-key.ts';
import { MAX_OF_RARE_HOST } from './host-reports.ts';

/** The earlier reports of a C2 in its feed, counted with the new one. */
export interface C2History extends C2Sightings {
  /** Whether the feed had reports of the host before the batch. */
  readonly isKnownHost: boolean;
  /** Whether the host has more than `MAX_OF_RARE_HOST` reports with those of the batch. */
  readonly isFrequentHost: boolean;
  /** Whether `host_report` has the reports of the host before the batch. */
  readonly isListedHost: boolean;
  /** The first expiry of those reports that a new sighting may renew. */
  readonly soonestExpiry: Date | undefined;
}

/** A report that is about to be written. */
export interface Sighting {
  readonly id: string;
  readonly key: C2Key;
  readonly reporterId: string;
}

/** A host in the batch, of one feed. */
interface HostTally {
  /** The reports of the batch. */
  inBatch: number;
  /** The reports before the batch; at most one more than `MAX_OF_RARE_HOST` is counted. */
  stored: number;
  /** Whether `host_report` has those reports. */
  isListed: boolean;
  readonly byPort: Map<number, Tally>;
}

/** The running counts of one C2 while a batch of reports is counted. */
export interface Tally {
  readonly key: C2Key;
  readonly host: HostTally;
  /** Whether the desk of the feed has rejected the C2. */
  isRejected: boolean;
  soonestExpiry: Date | undefined;
  first: { readonly id: string; readonly reporterId: string } | undefined;
  /** 0 until the second report: `c2_reporter` has no row for a C2 with one report. */
  reports: number;
  reporters: number;
  recurrence: boolean;
  /** Reports by reporter, for the reporters of this batch. */
  readonly counts: Map<string, number>;
  readonly changed: Set<string>;
}

/** The tally of each sighting. Nested maps, because joining their keys to texts takes longer. */
export function talliesOf(sightings: readonly Sighting[]): readonly Tally[] {
  const feeds = new Map<number, Map<string, HostTally>>();
  return sightings.map(({ key }) => {
    const hosts = getOrAdd(feeds, key.service_id, () => new Map());
    const host = getOrAdd(hosts, key.host, () => emptyHost());
    return getOrAdd(host.byPort, key.port, () => emptyTally(key, host));
  });
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}

function emptyHost(): HostTally {
  return { inBatch: 0, stored: 0, isListed: false, byPort: new Map() };
}

/** Lists each member: spreading objects is several times slower. */
function emptyTally(key: C2Key, host: HostTally): Tally {
  return {
    key,
    host,
    isRejected: false,
    soonestExpiry: undefined,
    first: undefined,
    reports: 0,
    reporters: 0,
    recurrence: false,
    counts: new Map(),
    changed: new Set(),
  };
}

/** Counts one report of the batch. */
export function countOne(tally: Tally, { id, reporterId }: Sighting): C2History {
  const { first, host, soonestExpiry } = tally;
  const isKnownHost = host.stored > 0;
  const isFrequentHost = host.stored + host.inBatch > MAX_OF_RARE_HOST;
  const isListedHost = host.isListed;
  if (first === undefined) {
    tally.first = { id, reporterId };
    return {
      firstSeenId: undefined,
      sightings: 1,
      corroboration: 0,
      recurrence: false,
      isKnownHost,
      isFrequentHost,
      isListedHost,
      soonestExpiry,
    };
  }
  // This is the second report; the first was not counted when it was created.
  if (tally.reports === 0) addOne(tally, first.reporterId);
  addOne(tally, reporterId);
  return {
    firstSeenId: first.id,
    sightings: tally.reports,
    corroboration: tally.reporters - 1,
    recurrence: tally.recurrence,
    isKnownHost,
    isFrequentHost,
    isListedHost,
    soonestExpiry,
  };
}

function addOne(tally: Tally, reporterId: string): void {
  const before = tally.counts.get(reporterId) ?? 0;
  if (before === 0) tally.reporters += 1;
  tally.reports += 1;
  tally.counts.set(reporterId, before + 1);
  tally.changed.add(reporterId);
}
