import fc from 'fast-check';
import type { Texts } from './program.ts';

/** Random settings of Mirai builds, and the table that its source has for them. */
export interface Settings {
  readonly key: number;
  readonly host: string;
  readonly port: number;
  /** The server that receives scan results. */
  readonly reporter: string;
  /** 48101 in the public source. */
  readonly reporterPort: number;
  readonly botnet: string;
  /** Lengths that the source states for texts; the public one states longer ones. */
  readonly hasLongLengths: boolean;
}

/** A text of the table as the source has it, encoded, and the length that is passed with it. */
export interface TableText {
  readonly bytes: Buffer;
  readonly length: number;
}

const SCANNER_PORT = 48_101;
const LONGER = 13;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const label = fc.string({
  unit: fc.constantFrom(...LETTERS),
  minLength: 1,
  maxLength: 9,
});
const hostName = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .array(label, { minLength: 1, maxLength: 4 })
      .map((labels) => `${labels.join('-')}.example.invalid`),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 254 }).map((last) => `198.51.100.${last}`) },
);

const settings: fc.Arbitrary<Settings> = fc
  .record({
    key: fc.oneof(
      fc.integer({ min: 1, max: 255 }),
      fc.integer({ min: 0x21, max: 0x7e }),
      fc.constantFrom(...Buffer.from(`${LETTERS}.-`)),
    ),
    host: hostName,
    port: fc.integer({ min: 1, max: 65_535 }),
    other: hostName,
    /** The name of the one server may end with that of the other; linkers merge such texts. */
    relation: fc.constantFrom('none', 'none', 'none', 'none', 'suffix', 'longer'),
    botnet: fc.string({
      unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdeorst0123'),
      minLength: 2,
      maxLength: 8,
    }),
    reporterPort: fc.oneof(
      { weight: 4, arbitrary: fc.constant(SCANNER_PORT) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 65_535 }) },
    ),
    hasLongLengths: fc.boolean(),
  })
  .filter(({ host, other }) => host !== other)
  .map(({ other, relation, ...rest }) => {
    if (!rest.host.endsWith('d')) return { ...rest, reporter: other };
    if (relation === 'suffix') return { ...rest, reporter: `report${rest.host}` };
    if (relation === 'longer') return { ...rest, reporter: rest.host, host: `cnc.${rest.host}` };
    return { ...rest, reporter: other };
  });

export function randomSettings(count: number, seed: number): readonly Settings[] {
  return fc.sample(settings, { numRuns: count, seed });
}

function words(botnet: string): readonly string[] {
  return [
    ...['listening tun0', 'https://video.example.invalid/watch', '/proc/', '/exe', ' (deleted)'],
    ...['/fd', '.anime', '/status', 'REPORT %s:%s', 'HTTPFLOOD', 'LOLNOGTFO', 'zollard'],
    ...['GETLOCALIP', 'shell', 'enable', 'system', 'sh', `/bin/busybox ${botnet}`],
    ...[`${botnet}: applet not found`, 'ncorrect', '/bin/busybox ps', '/bin/busybox kill -9 '],
    ...['TSource Engine Query', '/etc/resolv.conf', 'nameserver ', 'Connection: keep-alive'],
    'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8',
    ...['Accept-Language: en-US,en;q=0.8', 'Content-Type: application/x-www-form-urlencoded'],
    ...["setCookie('", 'refresh:', 'location:', 'set-cookie:', 'content-length:'],
    ...['transfer-encoding:', 'chunked', 'keep-alive', 'connection:', 'server: dosarrest'],
    'server: cloudflare-nginx',
    'Mozilla/5.0 (Windows NT 10.0; WOW64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/51.0',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_6) AppleWebKit/601.7.7 (KHTML, like Gecko)',
    ...['assword', 'ogin'],
  ];
}

/** The table in the order of the public source. */
function tableTexts(chosen: Settings): readonly TableText[] {
  const { key, host, port, reporter, reporterPort, botnet, hasLongLengths } = chosen;
  const text = (plain: string, longer = 0): TableText => ({
    bytes: hidden(Buffer.from(`${plain}\0`, 'latin1'), key),
    length: plain.length + 1 + longer,
  });
  const number = (value: number): TableText => ({
    bytes: hidden(Buffer.from([value >> 8, value & 0xff]), key),
    length: 2,
  });
  const longer = hasLongLengths ? LONGER : 0;
  return [
    ...[text(host, longer), number(port), text(reporter, longer), number(reporterPort)],
    ...words(botnet).map((word) => text(word)),
  ];
}

/** Names and passwords of the scanner: without terminator under the key. */
function passwordTexts({ key }: Settings): readonly Buffer[] {
  const plain = ['root', 'xc3511', 'vizxv', 'admin', '888888', 'xmhdipc', 'default', 'juantech'];
  return plain.map((word) => hidden(Buffer.from(word), key));
}

/** The texts of a program with these settings. */
export function textsOf(chosen: Settings): Texts {
  return { table: tableTexts(chosen), passwords: passwordTexts(chosen) };
}

function hidden(bytes: Buffer, key: number): Buffer {
  return Buffer.from(bytes.map((byte) => byte ^ key));
}

export type Verdict = 'whole' | 'host' | 'ambiguous' | 'missed' | 'wrong';

interface Found {
  readonly endpoints?: readonly {
    readonly usage: string;
    readonly host?: string | undefined;
    readonly port?: number | undefined;
  }[];
  readonly other?: Readonly<Record<string, string>> | undefined;
  readonly unread?: string;
}

/** Compares a reading with the settings. One wrong name, port or usage makes it wrong. */
export function judge(chosen: Settings, found: Found | undefined): Verdict {
  if (found === undefined) return 'missed';
  const { endpoints = [], other = {} } = found;
  const { host, port, reporter, reporterPort, botnet } = chosen;
  const isWrong = endpoints.some((one) => {
    if (one.host === host) return one.usage === 'upload' || (one.port ?? port) !== port;
    if (one.host === reporter)
      return one.usage === 'c2' || (one.port ?? reporterPort) !== reporterPort;
    return true;
  });
  if (isWrong || (other['Botnet Name'] ?? botnet) !== botnet) return 'wrong';
  const c2 = endpoints.filter(({ usage }) => usage === 'c2');
  if (c2.some((one) => one.port === port)) return 'whole';
  return c2.length > 0 ? 'host' : 'ambiguous';
}
