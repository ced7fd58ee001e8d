import type { Contact } from '../contacts/contact.ts';
import { NetworkMap } from '../network-map.ts';
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
  readonly #networks: NetworkMap<Entry>;
  /** The dots of the suffix with the most dots: longer ends of a host are not looked up. */
  #mostDots = 0;

  constructor(providers: readonly Provider[]) {
    const networks: (readonly [string, Entry])[] = [];
    let size = 0;
    for (const provider of providers) {
      for (const fact of provider.suffixes) this.#addSuffix({ provider, fact });
      for (const fact of provider.networks) networks.push([fact.value, { provider, fact }]);
      size += provider.suffixes.length + provider.networks.length;
    }
    this.#networks = new NetworkMap(networks);
    this.size = size;
  }

  /** How to reach the provider of a canonical host. */
  find(host: string): Contact | undefined {
    if (isAddress(host)) {
      const entry = this.#networks.find(host);
      return entry && { ...contactOf(entry), range: entry.fact.value };
    }
    const entry = this.#findSuffix(host);
    return entry && { ...contactOf(entry), suffix: entry.fact.value };
  }

  #addSuffix(entry: Entry): void {
    const suffix = entry.fact.value;
    if (this.#suffixes.has(suffix)) return;
    this.#suffixes.set(suffix, entry);
    this.#mostDots = Math.max(this.#mostDots, suffix.split('.').length - 1);
  }

  /** From the longest end of the name that may be a suffix to its last label. */
  #findSuffix(host: string): Entry | undefined {
    let dot = host.length;
    for (let dots = 0; dots <= this.#mostDots && dot > 0; dots += 1)
      dot = host.lastIndexOf('.', dot - 1);
    do {
      const entry = this.#suffixes.get(host.slice(dot + 1));
      if (entry !== undefined) return entry;
      dot = host.indexOf('.', dot + 1);
    } while (dot !== -1);
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
