import { IndicatorHosts } from '../../domain/reports/indicator-hosts.ts';
import { uuidV5 } from '../../domain/uuid.ts';
import type { ExportContext, Exporter } from '../exporter.ts';
import { EVENT_END, type EventHead, eventStart, organisationOf } from './event.ts';
import { objectsOf, secondsOf } from './objects.ts';

/**
 * One MISP event with the reports of an export. The feed at `/misp/` has events of at most 5,000
 * reports instead, and also the deleted reports.
 */
export const misp: Exporter = {
  format: 'misp',
  mediaType: 'application/json; charset=utf-8',
  extension: 'json',
  order: 'creation',
  version: 3,
  fields: [
    'id',
    'service',
    'sequence',
    'createdSequence',
    'name',
    'tags',
    'c2',
    'sha256',
    'reportedBy',
    'reportedAt',
    'reference',
    'confidence',
    'confirmation',
    'rejectionSequence',
    'status',
    'statusReason',
    'updatedAt',
  ],
  open(context) {
    const owner = { namespace: context.namespace, event: `export:${context.feed}` } as const;
    const hosts = new IndicatorHosts(context);
    let rows = 0;
    let separator = '';
    return {
      start: () => eventStart(headOf(context)),
      report(report) {
        const service = context.services.get(report.service);
        const objects = objectsOf(report, owner, { service, hosts });
        if (objects.length === 0) return '';
        rows += 1;
        const text = separator + objects.join();
        separator = ',';
        return text;
      },
      // MISP and PyMISP read the event and ignore the other member.
      end: (digest) => `${EVENT_END},"end":{"rows":${rows},"sha256":"${digest()}"}}\n`,
    };
  },
};

function headOf({ feed, services, namespace, changedAt }: ExportContext): EventHead {
  const name = feed === 'all' ? 'All feeds' : (services.get(feed)?.name ?? feed);
  return {
    uuid: uuidV5(namespace, `misp:export:${feed}`),
    info: `${name}: export of reports`,
    date: changedAt.slice(0, 10),
    timestamp: secondsOf(changedAt),
    organisation: organisationOf({ slug: feed, name }, namespace),
  };
}
