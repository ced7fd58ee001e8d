import type { Contact } from '../contacts/contact.ts';
import { NetworkMap } from '../network-map.ts';
import { parentsOf } from '../reports/host-names.ts';
import { isAddress } from '../search-query.ts';
import type { Fact, Provider } from './provider.ts';

/** A provider, and its suffix or network that covers a host. */
interface Entry {
  readonly provider: Provider;
  readonly fact: Fact;
}

/**
 * Finds the provider of a host among all suffixes and networks. The longest one decides. If two
 * providers have the same, the first provider wins.
 */
export class Directory {
  /** The number of suffixes and networks. */
  readonly size: number;
  readonly #suffixes = new Map<string, Entry>();
  readonly #networks = new NetworkMap<Entry>();

  constructor(providers: readonly Provider[]) {
    let size = 0;
    for (const provider of providers) {
      for (const fact of provider.suffixes) this.#addSuffix({ provider, fact });
      for (const fact of provider.networks) this.#addNetwork({ provider, fact });
      size += provider.suffixes.length + provider.networks.length;
    }
    this.size = size;
  }

  /** How to reach the provider of a canonical host. */
  find(host: string): Contact | undefined {
    if (isAddress(host)) {
      const [entry] = this.#networks.findAll(host);
      return entry && { ...contactOf(entry), range: entry.fact.value };
    }
    const entry = this.#findSuffix(host);
    return entry && { ...contactOf(entry), suffix: entry.fact.value };
  }

  #addNetwork(entry: Entry): void {
    const network = entry.fact.value;
    if (this.#networks.get(network) === undefined) this.#networks.set(network, entry);
  }

  #addSuffix(entry: Entry): void {
    const suffix = entry.fact.value;
    if (!this.#suffixes.has(suffix)) this.#suffixes.set(suffix, entry);
  }

  #findSuffix(host: string): Entry | undefined {
    for (const name of [host, ...parentsOf(host)]) {
      const entry = this.#suffixes.get(name);
      if (entry !== undefined) return entry;
    }
    return undefined;
  }
}

/** As old as the oldest fact in it. */
function contactOf({ provider: { name, mail, form }, fact }: Entry) {
  const dates = [fact, mail, form].flatMap((one) => one?.date.getTime() ?? []);
  return {
    source: 'directory' as const,
    name,
    ...(mail !== undefined && { mail: mail.value }),
    ...(form !== undefined && { form: form.value }),
    checkedAt: new Date(Math.min(...dates)),
  };
}
