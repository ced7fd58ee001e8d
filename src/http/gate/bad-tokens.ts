/** More than a misconfigured script sends, far fewer than guessing a token takes. */
const MAX_PER_WINDOW = 100;
const WINDOW_MS = 60_000;
/** Bounds the memory against attackers with many addresses. The oldest are evicted first. */
const MAX_ADDRESSES = 10_000;

interface Count {
  bad: number;
  readonly until: number;
}

/** Throttles bad tokens by source address. */
export class BadTokens {
  readonly #counts = new Map<string, Count>();

  /** Counts a bad token. Returns the seconds to wait if the limit is exceeded. */
  count(address: string, now: Date): number | undefined {
    const key = networkOf(address);
    let count = this.#counts.get(key);
    if (count === undefined || count.until <= now.getTime()) {
      this.#counts.delete(key);
      count = { bad: 0, until: now.getTime() + WINDOW_MS };
      if (this.#counts.size >= MAX_ADDRESSES)
        this.#counts.delete(this.#counts.keys().next().value as string);
      this.#counts.set(key, count);
    }
    count.bad += 1;
    if (count.bad <= MAX_PER_WINDOW) return undefined;
    return Math.ceil((count.until - now.getTime()) / 1000);
  }
}

/** IPv6 addresses are grouped by /64, which is what one customer is assigned. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const rest = tail === undefined ? [] : tail.split(':');
  while (tail !== undefined && groups.length + rest.length < 8) groups.push('0');
  return [...groups, ...rest].slice(0, 4).join(':');
}
