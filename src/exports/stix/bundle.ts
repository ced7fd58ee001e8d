import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import type { ExportContext, Exporter, ExportWriter } from '../exporter.ts';
import { nameBasedUuid } from './ids.ts';
import { feedObjects, ObjectMaker } from './objects.ts';
import type { StixContext } from './stix-object.ts';

/** How many ids of shared objects are remembered, about 10 MB. */
const REMEMBERED_IDS = 50_000;

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
  fields: [
    'id',
    'service',
    'name',
    'tags',
    'c2',
    'sha256',
    'reportedBy',
    'reportedAt',
    'reference',
    'confidence',
    'status',
    'statusReason',
    'updatedAt',
    'addedAt',
    'expiresAt',
    'sightings',
  ],
  options: { profile: ['rich', 'indicators'], tlp: ['2', '1'] },
  open: (context) => new BundleWriter(context),
};

class BundleWriter implements ExportWriter {
  readonly #bundleId: string;
  readonly #context: StixContext;
  readonly #objects: ObjectMaker;
  readonly #written = new RecentIds(REMEMBERED_IDS);

  constructor({ feed, serial, namespace, services, baseUrl, options }: ExportContext) {
    const profile = options['profile'] === 'indicators' ? 'indicators' : 'rich';
    const tlp = options['tlp'] === '1' ? '1' : '2';
    this.#context = { namespace, services, baseUrl, profile, tlp };
    this.#objects = new ObjectMaker(this.#context);
    const key = `bundle:${feed}:${serial}:${profile}:${tlp}`;
    this.#bundleId = `bundle--${nameBasedUuid(namespace, key)}`;
  }

  start(): string {
    const texts = feedObjects(this.#context).map(({ text }) => text);
    return `{"type":"bundle","id":"${this.#bundleId}","objects":[\n${texts.join(',\n')}`;
  }

  report(report: ExportedReport): string {
    const { shared, own } = this.#objects.of(report);
    let written = '';
    for (const { id, text } of shared) if (this.#written.add(id)) written += `,\n${text}`;
    for (const { text } of own) written += `,\n${text}`;
    return written;
  }

  end(): string {
    return '\n]}\n';
  }
}

/**
 * The ids that were added last, in two generations: deleting the oldest id of a set each time would
 * take longer and longer.
 */
class RecentIds {
  readonly #perGeneration: number;
  #newer = new Set<string>();
  #older = new Set<string>();

  constructor(limit: number) {
    this.#perGeneration = limit / 2;
  }

  /** Whether the id is new, as far as is remembered. */
  add(id: string): boolean {
    if (this.#newer.has(id)) return false;
    const isNew = !this.#older.has(id);
    if (this.#newer.size >= this.#perGeneration) {
      this.#older = this.#newer;
      this.#newer = new Set();
    }
    this.#newer.add(id);
    return isNew;
  }
}
