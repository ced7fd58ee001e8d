import { createHash } from 'node:crypto';
import type { Service } from '../../domain/services/service.ts';
import type { ExportContext, ExportedService, Exporter } from '../../exports/exporter.ts';
import { EXPORTERS, OTHER_EXPORTERS } from '../../exports/index.ts';
import type { ExportRequest, ExportVersion } from '../../ports/exports.ts';
import type { FeedState } from '../../ports/feed-store.ts';
import type { ExportSettings } from './export-messages.ts';

/** The time of the last change in an installation without feeds. */
const NEVER = '1970-01-01T00:00:00.000Z';

export function exporterOf(format: string): Exporter {
  const found = [...EXPORTERS, ...OTHER_EXPORTERS].find((one) => one.format === format);
  if (found === undefined) throw new Error(`there is no export format ${format}`);
  return found;
}

export function contextOf(
  { scope, filter, options }: ExportRequest,
  feeds: readonly FeedState[],
  { listsDigest: _, allowed: __, ...settings }: ExportSettings & Pick<ExportContext, 'lists'>,
): ExportContext {
  const { serial, changedAt } = summaryOf(feeds);
  return {
    ...settings,
    feed: scope ?? 'all',
    services: new Map(feeds.map(({ service }) => [service.slug, exportedService(service)])),
    serial,
    changedAt,
    status: filter.status,
    options,
  };
}

function exportedService({ createdAt, expireAfterDays: _, ...rest }: Service): ExportedService {
  return { ...rest, createdAt: createdAt.toISOString() };
}

interface FeedSummary extends Pick<ExportContext, 'serial' | 'changedAt'> {
  /** The digest of all that an export reads from the feeds: the heads stand for the reports. */
  readonly digest: string;
}

/** The store returns the same object for all feeds until one of them changes. */
const summaries = new WeakMap<readonly FeedState[], FeedSummary>();

function summaryOf(feeds: readonly FeedState[]): FeedSummary {
  const known = summaries.get(feeds);
  if (known !== undefined) return known;
  const changes = feeds.map(({ changedAt }) => changedAt).sort();
  const parts = feeds.map(({ service, head }) => [exportedService(service), head]);
  const summary = {
    digest: digestOf(parts),
    serial: feeds.reduce((sum, { head }) => sum + head, 0),
    changedAt: changes.at(-1) ?? NEVER,
  };
  summaries.set(feeds, summary);
  return summary;
}

function digestOf(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

export interface NumberedVersion extends ExportVersion {
  /** A later version of an export has the same number or a higher one. */
  readonly serial: number;
}

/** Digests all that the bytes depend on. */
export function versionOf(
  request: ExportRequest,
  feeds: readonly FeedState[],
  settings: ExportSettings,
): NumberedVersion {
  const { version = 1 } = exporterOf(request.format);
  const { digest, changedAt, serial } = summaryOf(feeds);
  // The declared hosts of all services are too many to digest for every request.
  const others = { ...settings, declared: settings.declared.digest };
  const tag = digestOf([requestKey(request), version, digest, changedAt, others]);
  return { tag: tag.slice(0, TAG_LENGTH), changedAt, serial };
}

/** 192 bits. */
const TAG_LENGTH = 32;

/** The same for requests of the same export, whatever its version. */
export function requestKey({ format, scope, filter, options }: ExportRequest): string {
  const sorted = (values: object) =>
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([format, scope ?? null, sorted(filter), sorted(options)]);
}
