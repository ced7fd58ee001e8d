import type { LookedUpFile } from './file.ts';

type Indicator = LookedUpFile['details']['indicators'][number];

export interface IndicatorAddress {
  /** `host:port`, or a host if the bytes have no port. */
  readonly address: string;
  readonly hasPort: boolean;
}

const HOST_KINDS: ReadonlySet<string> = new Set(['address', 'host', 'onion']);
const PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443', 'ftp:': '21' };

/** The address that a text in the bytes names; `undefined` for wallets, tokens and the like. */
export function addressOfIndicator({ kind, value }: Indicator): IndicatorAddress | undefined {
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(value);
  if (!isUrl && !HOST_KINDS.has(kind)) return undefined;
  const text = isUrl ? value : `tcp://${value}`;
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port } = new URL(text);
  const host = hostname.toLowerCase();
  if (host === '') return undefined;
  const known = port === '' ? PORTS[protocol] : port;
  return known === undefined
    ? { address: host.replace(/^\[(.*)\]$/, '$1'), hasPort: false }
    : { address: `${host}:${known}`, hasPort: true };
}
