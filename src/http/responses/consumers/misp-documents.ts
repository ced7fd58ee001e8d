import { createHash } from 'node:crypto';
import type { IndicatorHosts } from '../../../domain/reports/indicator-hosts.ts';
import {
  EVENT_END,
  eventStart,
  feedEventHead,
  manifestEntry,
} from '../../../exports/misp/event.ts';
import { objectsOf, withdrawnObjectsOf } from '../../../exports/misp/objects.ts';
import type { FoundEvent } from '../../../operations/reports/misp-feed.ts';
import type { MispEvent } from '../../../ports/misp-store.ts';
import type { PublishedVersion } from '../../../ports/published-versions.ts';

/** Raised if the documents of the same reports change. */
const VERSION = 3;

/**
 * The entity tag of a document that depends on these values. Weak, because the document is read
 * after them: it may already contain a change that raises a stamp later.
 */
export function weakTag(values: readonly unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify([VERSION, ...values]));
  return `W/"${digest.digest('base64url').slice(0, 22)}"`;
}

/** An object: a list would make MISP look for an event named "0". */
export async function* mispManifestText(
  pages: AsyncIterable<readonly MispEvent[]>,
  namespace: string,
): AsyncGenerator<string> {
  let before = '{';
  for await (const events of pages) {
    const entries = events.map((event) => {
      const feed = { slug: event.service, name: event.serviceName };
      const entry = manifestEntry(feedEventHead(feed, event, namespace));
      return `"${event.id}":${JSON.stringify(entry)}`;
    });
    if (entries.length === 0) continue;
    yield before + entries.join();
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

interface EventContent {
  readonly parts: AsyncIterable<readonly PublishedVersion[]>;
  readonly hosts: IndicatorHosts;
}

export async function* mispEventText(
  { service, event, namespace }: FoundEvent,
  { parts, hosts }: EventContent,
): AsyncGenerator<string> {
  const owner = { namespace, event: 'feed' } as const;
  let before = eventStart(feedEventHead(service, event, namespace));
  for await (const versions of parts) {
    const objects = versions.flatMap((version) =>
      'report' in version
        ? objectsOf(version.report, owner, { service, hosts })
        : withdrawnObjectsOf(version.withdrawn, owner),
    );
    if (objects.length === 0) continue;
    yield before + objects.join();
    before = ',';
  }
  yield `${before === ',' ? '' : before}${EVENT_END}}\n`;
}
