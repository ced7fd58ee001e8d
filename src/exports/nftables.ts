import type { ExportedReport } from '../domain/reports/exported-report.ts';
import { BlockList, LISTED_FIELDS, openList, optionOf } from './block-list.ts';
import { hostKind } from './characters.ts';
import type { Exporter } from './exporter.ts';

type Family = 'ipv4' | 'ipv6';

/** nft reads a statement as a whole; this many elements take some 100 kB. */
const ELEMENTS_PER_STATEMENT = 2000;

/**
 * Sets of a table `inet rapsheet`, which `nft -f` replaces in one transaction. With ports, an
 * element is an address and a port, so that a shared gateway can be listed.
 */
export const nftables: Exporter = {
  format: 'nftables',
  mediaType: 'text/plain; charset=utf-8',
  extension: 'nft',
  order: 'address',
  version: 2,
  fields: LISTED_FIELDS,
  options: { sets: ['ports', 'addresses'] },
  open(context) {
    const hasPorts = optionOf(nftables, context, 'sets') === 'ports';
    const list = new BlockList(context, hasPorts ? 'endpoint' : 'host');
    const sets = {
      ipv4: new ElementSet('ipv4', context.feed, hasPorts),
      ipv6: new ElementSet('ipv6', context.feed, hasPorts),
    };
    const elementOf = ({ c2 }: ExportedReport) => (hasPorts ? `${c2.host} . ${c2.port}` : c2.host);
    return openList(context, {
      commentSign: '#',
      title: 'Rapsheet block list as nftables sets',
      preamble: `add table inet rapsheet\n${sets.ipv4.declaration()}${sets.ipv6.declaration()}`,
      key: elementOf,
      omission: (report) =>
        list.omission(report) ?? (hostKind(report.c2.host) === 'name' ? 'name' : undefined),
      write: (report) =>
        sets[report.c2.host.includes(':') ? 'ipv6' : 'ipv4'].add(elementOf(report)),
      rest: () => sets.ipv4.flush() + sets.ipv6.flush(),
    });
  },
};

/** Elements of a set, collected for a statement. */
class ElementSet {
  readonly #name: string;
  readonly #type: string;
  #elements: string[] = [];

  /** A slug has hyphens and no underscores, so names of sets do not collide. */
  constructor(family: Family, feed: string, hasPorts: boolean) {
    const slug = feed.replaceAll(/[^a-z0-9]/g, '_');
    this.#name = `inet rapsheet ${hasPorts ? 'c2' : 'hosts'}_${slug}_${family}`;
    this.#type = `${family}_addr${hasPorts ? ' . inet_service' : ''}`;
  }

  /** Flags cannot be changed later; this one lets operators add elements that expire. */
  declaration(): string {
    return `add set ${this.#name} { type ${this.#type}; flags timeout; }\nflush set ${this.#name}\n`;
  }

  add(element: string): string {
    this.#elements.push(element);
    return this.#elements.length < ELEMENTS_PER_STATEMENT ? '' : this.flush();
  }

  /** nft refuses a statement without elements. */
  flush(): string {
    if (this.#elements.length === 0) return '';
    const lines = this.#elements.join(',\n  ');
    this.#elements = [];
    return `add element ${this.#name} {\n  ${lines}\n}\n`;
  }
}
