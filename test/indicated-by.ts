import { createHash } from 'node:crypto';

/** One who blocks what is published. */
export interface Reader {
  /** Sends a request and returns the text of the answer, which must be 200. */
  read(path: string, body?: unknown): Promise<string>;
  now(): Date;
}

interface C2 {
  readonly host: string;
  readonly port: number;
}

/** The address of an element, a line or a rule; of all entries of a list. */
type Entries = (text: string) => readonly string[];

const lines: Entries = (text) =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

const BLOCK_LISTS: Readonly<Record<string, Entries>> = {
  txt: lines,
  'txt?value=host': lines,
  'txt?value=ip': lines,
  'txt?value=domain': lines,
  hosts: (text) => lines(text).map((line) => line.split(' ')[1] ?? ''),
  rpz: (text) => [...text.matchAll(/^(\S+) CNAME \.$/gm)].map(([, owner = '']) => zoneHost(owner)),
  nftables: (text) => [...text.matchAll(/^ {2}(\S+)/gm)].map(([, address = '']) => address),
  'nftables?sets=addresses': (text) =>
    [...text.matchAll(/^ {2}([^\s,]+)/gm)].map(([, address = '']) => address),
  ipset: (text) => [...text.matchAll(/^add \S+ ([^\s,]+)/gm)].map(([, address = '']) => address),
  'ipset?sets=addresses': (text) =>
    [...text.matchAll(/^add \S+ (\S+)/gm)].map(([, address = '']) => address),
  dnsmasq: (text) => lines(text).map((line) => line.split('/')[1] ?? ''),
  adblock: (text) => [...text.matchAll(/^\|\|(.*)\^$/gm)].map(([, name = '']) => name),
  zeek: (text) => lines(text).map((line) => line.split('\t')[0] ?? ''),
  snort: (text) => [
    ...[...text.matchAll(/-> (\S+) /g)].map(([, address = '']) => address),
    ...[...text.matchAll(/content:"([^"]+)\|00\|"/g)].map(([, name = '']) =>
      name.replaceAll(/\|..\|/g, '.').slice(1),
    ),
  ],
  sigma: (text) =>
    [...text.matchAll(/(?:QueryName|DestinationIp): '([^']+)'/g)].map(([, host = '']) => host),
  suricata: (text) => [
    ...[...text.matchAll(/-> \[?([^\s\]]+)/g)].map(([, address = '']) => address),
    ...[...text.matchAll(/content:"\.?([^"]+)"/g)].map(([, name = '']) => name),
  ],
  'suricata?file=domains': (text) =>
    lines(text).map((line) => Buffer.from(line, 'base64').toString()),
  'suricata?file=addresses': (text) => lines(text).slice(0, -1),
  'suricata?file=reputation': (text) => lines(text).map((line) => line.split(',')[0] ?? ''),
};

/** `32.4.3.2.1.rpz-ip` is an address; IPv6 is left as it is. */
function zoneHost(owner: string): string {
  const address = /^32\.([\d.]+)\.rpz-ip$/.exec(owner)?.[1];
  return address?.split('.').reverse().join('.') ?? owner;
}

interface StixObject {
  readonly type: string;
  readonly id: string;
  readonly pattern?: string;
  readonly revoked?: boolean;
  readonly valid_until?: string;
  readonly value?: string;
}

/** Whether one of the newest versions of the objects is a valid indicator of the host. */
function isStixIndicator(objects: readonly StixObject[], host: string, now: Date): boolean {
  const newest = new Map(objects.map((object) => [object.id, object]));
  return [...newest.values()].some(
    ({ type, pattern, revoked, valid_until = '9' }) =>
      type === 'indicator' &&
      pattern?.includes(`'${host}'`) === true &&
      revoked !== true &&
      valid_until > now.toISOString(),
  );
}

interface MispObject {
  readonly Attribute: readonly { readonly value: string; readonly to_ids: boolean }[];
}

const isMispIndicator = (objects: readonly MispObject[], { host, port }: C2) =>
  objects.some(
    ({ Attribute: [first, second] }) =>
      first?.to_ids && first.value === host && second?.value === String(port),
  );

const isIoc = (iocs: readonly { readonly ioc: string }[], { host, port }: C2) =>
  iocs.some(({ ioc }) => ioc === host || ioc === `${host}:${port}`);

async function byBlockLists(reader: Reader, feed: string, { host, port }: C2): Promise<string[]> {
  const written = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const found: string[] = [];
  for (const [format, entriesOf] of Object.entries(BLOCK_LISTS)) {
    const entries = entriesOf(await reader.read(`/feed/${feed}/export/${format}`));
    if (entries.some((entry) => entry === host || entry === written)) found.push(format);
  }
  return found;
}

async function byExports(reader: Reader, feed: string, c2: C2): Promise<string[]> {
  const found = await byBlockLists(reader, feed, c2);
  for (const profile of ['rich', 'indicators']) {
    const { objects } = JSON.parse(
      await reader.read(`/feed/${feed}/export/stix?profile=${profile}`),
    );
    if (isStixIndicator(objects, c2.host, reader.now())) found.push(`stix?profile=${profile}`);
  }
  const misp = JSON.parse(await reader.read(`/feed/${feed}/export/misp`));
  if (isMispIndicator(misp.Event.Object, c2)) found.push('misp');
  const iocs = JSON.parse(await reader.read(`/feed/${feed}/export/threatfox?flavour=json`));
  if (isIoc(iocs.data, c2)) found.push('threatfox?flavour=json');
  const csv = await reader.read(`/feed/${feed}/export/threatfox?ipv6=1`);
  const values = lines(csv).map((line) => ({ ioc: line.split('","')[2] ?? '' }));
  if (isIoc(values, c2)) found.push('threatfox');
  return found;
}

async function byTaxii(reader: Reader, collection: string, { host }: C2): Promise<string[]> {
  const path = `/taxii2/feeds/collections/${collection}/objects/`;
  const found: string[] = [];
  for (const profile of ['indicators', 'rich']) {
    const objects: StixObject[] = [];
    let next: string | undefined = '';
    while (next !== undefined) {
      const query: string = next === '' ? '' : `&next=${encodeURIComponent(next)}`;
      const page = JSON.parse(await reader.read(`${path}?profile=${profile}${query}`));
      objects.push(...(page.objects ?? []));
      next = page.next;
    }
    if (isStixIndicator(objects, host, reader.now())) found.push(`taxii ${collection} ${profile}`);
  }
  return found;
}

async function byMispFeed(reader: Reader, feed: string, c2: C2): Promise<string[]> {
  const found: string[] = [];
  for (const event of Object.keys(JSON.parse(await reader.read(`/misp/${feed}/manifest.json`)))) {
    const { Event } = JSON.parse(await reader.read(`/misp/${feed}/${event}.json`));
    if (isMispIndicator(Event.Object, c2)) found.push('misp feed');
  }
  const digest = createHash('md5').update(c2.host).digest('hex');
  if ((await reader.read(`/misp/${feed}/hashes.csv`)).includes(digest)) found.push('misp hashes');
  return found;
}

async function byThreatfox(reader: Reader, c2: C2): Promise<string[]> {
  const found: string[] = [];
  for (const query of [{ query: 'get_iocs' }, { query: 'search_ioc', search_term: c2.host }]) {
    const { data = [] } = JSON.parse(await reader.read('/threatfox/api/v1/', query));
    if (isIoc(data, c2)) found.push(`threatfox api ${query.query}`);
  }
  return found;
}

/** The surfaces of a feed from which a reader would block the C2, or its host. */
export async function indicatedBy(
  reader: Reader,
  feed: string,
  c2: C2,
): Promise<readonly string[]> {
  return [
    ...(await byExports(reader, feed, c2)),
    ...(await byTaxii(reader, feed, c2)),
    ...(await byMispFeed(reader, feed, c2)),
    ...(await byThreatfox(reader, c2)),
  ];
}

/** The same of all feeds together, which have no MISP feed. */
export async function indicatedByAll(reader: Reader, c2: C2): Promise<readonly string[]> {
  return [...(await byExports(reader, 'all', c2)), ...(await byTaxii(reader, 'all', c2))];
}
