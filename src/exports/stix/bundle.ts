import { uuidV5 } from '../../domain/uuid.ts';
import type { ExportContext, Exporter, ExportWriter } from '../exporter.ts';
import { feedObjects, ownObjectsOf } from './objects.ts';
import { sharedObjectsOf } from './relations.ts';
import type { StixContext, StixObject } from './stix-object.ts';

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
  options: { profile: ['rich', 'indicators'], tlp: ['2', '1'] },
  open: (context) => new BundleWriter(context),
};

class BundleWriter implements ExportWriter {
  readonly #bundleId: string;
  readonly #context: StixContext;
  readonly #written = new RecentIds(REMEMBERED_IDS);

  constructor({ feed, serial, namespace, services, baseUrl, options }: ExportContext) {
    const profile = options['profile'] === 'indicators' ? 'indicators' : 'rich';
    const tlp = options['tlp'] === '1' ? '1' : '2';
    this.#context = { namespace, services, baseUrl, profile, tlp };
    const key = `bundle:${feed}:${serial}:${profile}:${tlp}`;
    this.#bundleId = `bundle--${uuidV5(namespace, key)}`;
  }

  start(): string {
    const objects = feedObjects(this.#context).map((object) => JSON.stringify(object));
    return `{"type":"bundle","id":"${this.#bundleId}","objects":[\n${objects.join(',\n')}`;
  }

  report(report: Parameters<ExportWriter['report']>[0]): string {
    const shared = this.#context.profile === 'rich' ? sharedObjectsOf(report, this.#context) : [];
    const first = shared.filter(({ id }) => this.#written.add(id));
    return serialize([...first, ...ownObjectsOf(report, this.#context)]);
  }

  end(): string {
    return '\n]}\n';
  }
}

function serialize(objects: readonly StixObject[]): string {
  return objects.map((object) => `,\n${JSON.stringify(object)}`).join('');
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
