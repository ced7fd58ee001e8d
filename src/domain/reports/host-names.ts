/** Whether the canonical host is an address. The last label of a name is never numeric. */
export function isAddress(host: string): boolean {
  return host.includes(':') || /(?:^|\.)[0-9]+$/.test(host);
}

/** `b.c` and `c` of `a.b.c`; none of an address. */
export function parentsOf(host: string): readonly string[] {
  if (isAddress(host)) return [];
  const labels = host.split('.');
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join('.'));
}
