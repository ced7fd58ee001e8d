import { createHash, hash } from 'node:crypto';
import type { IndicatorHosts } from '../../../domain/reports/indicator-hosts.ts';
import type { Service } from '../../../domain/services/service.ts';
import { attributesOf, withdrawnAttributesOf } from '../../../exports/misp/attributes.ts';
import { dayEventHead, EVENT_END, eventStart, manifestEntry } from '../../../exports/misp/event.ts';
import type { MispEvent, MispFeed } from '../../../operations/reports/misp-feed.ts';
import type { PublishedVersion } from '../../../ports/published-versions.ts';

type Parts = AsyncIterable<readonly PublishedVersion[]>;

/** Raised if the documents of the same reports change. */
const VERSION = 2;

/** An object: a list would make MISP look for an event named "0". */
export function mispManifest(service: Service, { namespace, days }: MispFeed): string {
  const heads = days.map((day) => dayEventHead(service, day, namespace));
  return JSON.stringify(Object.fromEntries(heads.map((head) => [head.uuid, manifestEntry(head)])));
}

/** The entity tag of the manifest: the same text has the same tag on every node. */
export function textTag(text: string): string {
  return `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
}

/**
 * The entity tag of an event. Weak, because the event is read after the stamp: it may already
 * contain a change that raises the stamp later.
 */
export function stampTag(service: Service, namespace: string, stamp: number): string {
  const parts = [VERSION, namespace, service.name, service.confidenceScale, stamp];
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  return `W/"${digest.slice(0, 22)}"`;
}

export async function* mispEventText(
  service: Service,
  { namespace, day }: MispEvent,
  { parts, hosts }: { readonly parts: Parts; readonly hosts: IndicatorHosts },
): AsyncGenerator<string> {
  const owner = { namespace, event: 'feed' } as const;
  let before = eventStart(dayEventHead(service, day, namespace));
  for await (const versions of parts) {
    const attributes = versions.flatMap((version) =>
      'report' in version
        ? attributesOf(version.report, owner, { service, hosts })
        : withdrawnAttributesOf(version.withdrawn, owner),
    );
    if (attributes.length === 0) continue;
    yield before + attributes.join();
    before = ',';
  }
  yield `${before === ',' ? '' : before}${EVENT_END}}\n`;
}
