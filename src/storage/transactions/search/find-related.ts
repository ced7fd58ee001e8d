import { familyOfC2 } from '../../../domain/samples/analysis-report.ts';
import { hostKey, isAddress, reverseHost } from '../../../domain/search-query.ts';
import type {
  BoundedList,
  HostOrC2,
  RelatedFile,
  RelatedLimits,
  RelatedToAddress,
} from '../../../ports/search-store.ts';
import { nextPortsInFeeds } from '../../tables/reports/host-ports.ts';
import { nextHostInSettings, nextPortInSettings } from '../../tables/samples/next-c2s.ts';
import { samplesNaming } from '../../tables/samples/sample-c2s.ts';
import { settingsNaming } from '../../tables/samples/sample-settings.ts';
import { feedsOfHost, nextReportedHost } from '../../tables/search/search-feeds.ts';
import type { UnitOfWork } from '../../units/unit-of-work.ts';
import { samplesById } from './search-samples.ts';

/** The feeds whose reports are read for the ports of a host. */
const MAX_FEEDS = 20;

/** What belongs to a C2 or a host, in the settings of files and in reports. */
export function* relatedTo(address: HostOrC2, limits: RelatedLimits): UnitOfWork<RelatedToAddress> {
  return {
    files: yield* filesNaming(address, limits),
    ports: yield* portsOf(address.host, limits.ports),
    names: yield* namesBelow(address.host, limits.names),
  };
}

function* filesNaming(
  address: HostOrC2,
  limits: RelatedLimits,
): UnitOfWork<BoundedList<RelatedFile>> {
  const read = yield* samplesNaming(address, limits.files + 1);
  const ids = new Set(read.slice(0, limits.files).map(({ sampleId }) => sampleId));
  const samples = [...(yield* samplesById([...ids]))];
  const settings = yield* settingsNaming(
    samples.map(([id]) => id),
    address,
  );
  const items = samples.map(([, { sha256, fileName, family: ofFile }], index): RelatedFile => {
    const { c2s = [], isBounded = false } = settings[index] ?? {};
    const shown = c2s.slice(0, limits.c2sOfFile).map(({ host, port, family }) => ({
      c2: { host, port },
      family: familyOfC2(family ?? undefined, ofFile),
    }));
    return {
      sha256,
      fileName,
      c2s: { items: shown, hasMore: isBounded || c2s.length > shown.length },
    };
  });
  return { items, hasMore: read.length > limits.files };
}

function* portsOf(host: string, limit: number): UnitOfWork<BoundedList<number>> {
  const feeds = yield* feedsOfHost(host);
  const read = feeds.slice(0, MAX_FEEDS);
  const ports = yield* ascending<number>(0, limit, function* (after) {
    const reported = yield* nextPortsInFeeds(read, host, after);
    const named = yield* nextPortInSettings(hostKey(host), after);
    return [...reported, ...named];
  });
  return { ...ports, hasMore: ports.hasMore || feeds.length > read.length };
}

function* namesBelow(host: string, limit: number): UnitOfWork<BoundedList<string>> {
  if (isAddress(host)) return { items: [], hasMore: false };
  const reversed = reverseHost(host);
  // `/` follows `.` in ASCII: the range has everything that starts with the name and a dot.
  const to = `${reversed}/`;
  const names = yield* ascending<string>(`${reversed}.`, limit, function* (after) {
    return [
      ...(yield* nextReportedHost({ after, to })),
      ...(yield* nextHostInSettings({ after, to })),
    ];
  });
  return { ...names, items: names.items.map(reverseHost) };
}

/**
 * The first values in several indexes, each once. Skips from value to value: one of them may have a
 * million rows.
 */
function* ascending<Value extends number | string>(
  start: Value,
  limit: number,
  next: (after: Value) => UnitOfWork<readonly Value[]>,
): UnitOfWork<BoundedList<Value>> {
  const items: Value[] = [];
  let after = start;
  for (;;) {
    const [first, ...others] = yield* next(after);
    if (first === undefined) return { items, hasMore: false };
    if (items.length === limit) return { items, hasMore: true };
    after = first;
    for (const other of others) if (other < after) after = other;
    items.push(after);
  }
}
