/** An address that no program follows by accident: `evil[.]example:4444`, `2001[:]db8[:][:]7`. */
export function defang(address: string): string {
  if (isBareIPv6(address)) return address.replaceAll(':', '[:]');
  const port = /:\d{1,5}$/.exec(address)?.[0] ?? '';
  const host = address.slice(0, address.length - port.length);
  if (host.startsWith('[')) return `${host.replaceAll(':', '[:]')}${port}`;
  return `${host.replaceAll('.', '[.]')}${port}`;
}

/** A link as text that cannot be followed: `hxxps://evil[.]example/path`. */
export function defangLink(link: string): string {
  const match = /^http(s?):\/\/([^/?#]*)(.*)$/i.exec(link);
  if (match === null) return link;
  const [, secure = '', authority = '', rest = ''] = match;
  return `hxxp${secure}://${defang(authority)}${rest}`;
}

/** A text with its links, and these hosts, in the form that no program follows. */
export function defangText(text: string, hosts: readonly string[]): string {
  const linkless = text.replace(/\bhttps?:\/\/[^\s"'<>]+/gi, defangLink);
  return [...new Set(hosts)]
    .filter((host) => host.includes('.') || isBareIPv6(host))
    .reduce((done, host) => done.replaceAll(host, defang(host)), linkless);
}

/** Without brackets there is no port. */
function isBareIPv6(address: string): boolean {
  return /^[\da-f]*:[\da-f.]*:[\da-f:.]*$/i.test(address);
}
