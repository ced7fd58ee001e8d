import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import { IndicatorHosts } from '../../domain/reports/indicator-hosts.ts';
import { uuidV5 } from '../../domain/uuid.ts';
import type { ExportContext, Exporter, ExportWriter } from '../exporter.ts';
import { feedObjects, ObjectMaker } from './objects.ts';
import type { StixContext } from './stix-object.ts';

/**
 * A bundle with an object per line. It ends visibly with its closing brackets; STIX permits no
 * other members.
 */
export const stix: Exporter = {
  format: 'stix',
  mediaType: 'application/stix+json;version=2.1',
  extension: 'json',
  // Reports of one host share most of their objects.
  order: 'address',
  version: 2,
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
    'addedAt',
    'expiresAt',
    'sightings',
  ],
  hasDigest: false,
  options: { profile: ['rich', 'indicators'], tlp: ['2', '1'] },
  open: (context) => new BundleWriter(context),
};

class BundleWriter implements ExportWriter {
  readonly #bundleId: string;
  readonly #context: StixContext;
  readonly #objects: ObjectMaker;

  constructor(context: ExportContext) {
    const { feed, serial, namespace, services, baseUrl, options, changedAt } = context;
    const profile = options['profile'] === 'indicators' ? 'indicators' : 'rich';
    const tlp = options['tlp'] === '1' ? '1' : '2';
    const hosts = new IndicatorHosts(context);
    const changedUntil = changedAt;
    this.#context = { namespace, services, baseUrl, hosts, profile, tlp, changedUntil };
    this.#objects = new ObjectMaker(this.#context);
    const key = `bundle:${feed}:${serial}:${profile}:${tlp}`;
    this.#bundleId = `bundle--${uuidV5(namespace, key)}`;
  }

  start(): string {
    const texts = feedObjects(this.#context).map(({ text }) => text);
    return `{"type":"bundle","id":"${this.#bundleId}","objects":[\n${texts.join(',\n')}`;
  }

  report(report: ExportedReport): string {
    let text = '';
    for (const object of this.#objects.of(report)) text += `,\n${object.text}`;
    return text;
  }

  end(): string {
    return '\n]}\n';
  }
}
