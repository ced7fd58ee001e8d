import { hash } from 'node:crypto';
import { IndicatorHosts } from '../../domain/reports/indicator-hosts.ts';
import { mispEventId } from '../../domain/reports/misp-event-id.ts';
import type { Exporter } from '../exporter.ts';
import { lookupValuesOf } from './objects.ts';

/**
 * The MD5 of every value of a feed and the event that has it, a line each, for the cache of MISP.
 * It has no header and no end mark: MISP would take each line for a hash. Expired reports are
 * included, as in the events; deleted ones are not: MISP would show a value as known to this feed.
 */
export const mispHashes: Exporter = {
  format: 'misp-hashes',
  mediaType: 'text/csv; charset=utf-8',
  extension: 'csv',
  order: 'creation',
  version: 2,
  fields: [
    'service',
    'c2',
    'sha256',
    'reference',
    'reportedAt',
    'dayPart',
    'createdSequence',
    'rejectionSequence',
  ],
  hasExpired: true,
  hasDigest: false,
  open(context) {
    const { namespace } = context;
    const hosts = new IndicatorHosts(context);
    // Reports of an event mostly follow each other.
    let last = '';
    let end = '';
    return {
      start: () => '',
      report(report) {
        const { service, dayPart: part } = report;
        const day = report.reportedAt.slice(0, 10);
        const event = `${service} ${day} ${part}`;
        if (event !== last) {
          last = event;
          end = `,${mispEventId(namespace, service, { day, part })}\n`;
        }
        return lookupValuesOf(report, hosts)
          .map((value) => hash('md5', value) + end)
          .join('');
      },
      end: () => '',
    };
  },
};
