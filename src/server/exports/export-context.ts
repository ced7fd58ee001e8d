import { createHash } from 'node:crypto';
import type { ExportContext, Exporter } from '../../exports/exporter.ts';
import { EXPORTERS } from '../../exports/index.ts';
import type { ExportRequest, ExportVersion } from '../../ports/exports.ts';
import type { FeedState } from '../../ports/feed-store.ts';
import type { ExportSettings } from './export-messages.ts';

/** Of an installation without feeds. */
const NEVER = '1970-01-01T00:00:00.000Z';

export function exporterOf(format: string): Exporter {
  const found = EXPORTERS.find((exporter) => exporter.format === format);
  if (found === undefined) throw new Error(`there is no export format ${format}`);
  return found;
}

export function contextOf(
  { scope, options }: ExportRequest,
  feeds: readonly FeedState[],
  settings: ExportSettings,
): ExportContext {
  return {
    ...settings,
    feed: scope ?? 'all',
    services: new Map(
      feeds.map(({ service: { createdAt, expireAfterDays: _, ...service } }) => [
        service.slug,
        { ...service, createdAt: createdAt.toISOString() },
      ]),
    ),
    serial: feeds.reduce((sum, { head }) => sum + head, 0),
    changedAt: changeOf(feeds),
    options,
  };
}

function changeOf(feeds: readonly FeedState[]): string {
  return (
    feeds
      .map(({ changedAt }) => changedAt)
      .sort()
      .at(-1) ?? NEVER
  );
}

export interface NumberedVersion extends ExportVersion {
  /** Of two versions of an export, the later one has the higher number, or the same. */
  readonly serial: number;
}

/** Digests all that the bytes depend on: the heads stand for the reports. */
export function versionOf(
  request: ExportRequest,
  feeds: readonly FeedState[],
  settings: ExportSettings,
): NumberedVersion {
  const { version = 1 } = exporterOf(request.format);
  const heads = feeds.map(({ head }) => head);
  const context = contextOf(request, feeds, settings);
  const services = [...context.services.values()];
  const parts = [requestKey(request), version, heads, { ...context, services }];
  const tag = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  const { changedAt, serial } = context;
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
