import { isMz } from '../formats/pe/headers.ts';
import type { Subject } from '../subject.ts';
import { parsePort } from './endpoints/addresses.ts';
import { agreedSettings } from './endpoints/agreed-settings.ts';
import { isHost } from './endpoints/hosts.ts';
import type { Endpoint, Extraction, Extractor, Recognition } from './extractor.ts';
import { listOf, otherSettings } from './setting-texts.ts';
import { WINOS_NEEDLES, xorHits } from './xor-needles.ts';

/**
 * Winos 4.0 (ValleyRAT) stores its settings as one UTF-16 string, written backwards, and ended by a
 * zero character:
 *
 *   |0:db|0:lk|0:hs|0:ld|0:ll|0:hb|0:pj|…|08:3o|1.0.0.721:3p|…|1:1t|6666:1o|1.2.0.291:1p|
 *
 * Read forwards:
 *
 * | key | value |
 * |---|---|
 * | p1, p2, p3 | host; the builder's default is 127.0.0.1 |
 * | o1, o2, o3 | port |
 * | t1, t2, t3 | 1 for TCP, 0 for UDP |
 * | dd, cl | seconds |
 * | fz | group; the default, 默认, is not written backwards |
 * | bb | version |
 * | bz | comment, by default a date |
 * | jp, sx (optional), bh, ll, dl, sh, kl, bd | switches |
 * | ur, ps (optional) | URL; not published |
 *
 * Reference: https://github.com/JameZUK/Arkana (report "ValleyRAT Multi-Stage Loader")
 */
/** `:1p|`, which the needle starts with. */
const LAST_BYTES = 8;
const MAX_LENGTH = 2_048;
const MAX_TRIES = 256;

const SECONDS = /^\d{1,6}$/;
const SWITCH = /^\d$/;
const TEXT = /^[^\p{Cc}\p{Cs}\p{Cn}\p{Co}]{0,128}$/u;

const isText = (value: string) => TEXT.test(value);
const isSeconds = (value: string) => SECONDS.test(value);
const isSwitch = (value: string) => SWITCH.test(value);
const isServerHost = (value: string) => value === '' || isHost(value);
const isServerPort = (value: string) => value === '' || parsePort(value) !== undefined;
const isTransport = (value: string) => value === '0' || value === '1';

interface Field {
  readonly key: string;
  readonly isValid: (value: string) => boolean;
  readonly isOptional?: boolean;
}

/** In the order of the string. */
const FIELDS: readonly Field[] = [
  ...['1', '2', '3'].flatMap((number) => [
    { key: `p${number}`, isValid: isServerHost },
    { key: `o${number}`, isValid: isServerPort },
    { key: `t${number}`, isValid: isTransport },
  ]),
  { key: 'dd', isValid: isSeconds },
  { key: 'cl', isValid: isSeconds },
  { key: 'fz', isValid: isText },
  { key: 'bb', isValid: isText },
  { key: 'bz', isValid: isText },
  { key: 'jp', isValid: isSwitch },
  { key: 'sx', isValid: isText, isOptional: true },
  ...['bh', 'll', 'dl', 'sh', 'kl', 'bd'].map((key) => ({ key, isValid: isSwitch })),
];

const DEFAULT_GROUP = '默认';
const LOCAL = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|localhost)$/;

export const winos: Extractor = {
  family: 'winos',
  category: 'RAT',
  pages: {
    winos: {
      name: 'Winos 4.0 (ValleyRAT)',
      reads: 'servers, ports and transport, group, version, comment',
      versions: 'online module with the settings as a reversed string, 32-bit and 64-bit; unpacked',
      proof:
        'a program for Windows with all 21 keys in their order, each with a value of its form, between the bars at both ends and up to the zero character',
      notCovered:
        'builds with fewer keys or another order; loaders and shellcode with the address after a marker; settings that the registry replaced; the switches, which descriptions explain differently; a URL in later builds; packed samples; shellcode and memory dumps without the header of a program',
      references: ['https://github.com/JameZUK/Arkana'],
    },
  },

  // Logs, registry files and articles quote settings, so only programs are read.
  matches: (subject) => isMz(subject.bytes) && endsIn(subject).length > 0,

  extract: (subject) => agreedSettings(findSettings(subject).map(describe)),
};

function describe({ values, offset }: Settings): Extraction | Recognition {
  const endpoints = serversOf(values);
  if (!endpoints.some(({ usage }) => usage === 'c2'))
    return { unread: 'template without a server', offset };
  const group = values.get('fz');
  return {
    version: values.get('bb') || undefined,
    campaign: listOf(group === reversed(DEFAULT_GROUP) ? DEFAULT_GROUP : group),
    endpoints,
    other: otherSettings({ Comment: values.get('bz') }),
    offset,
  };
}

interface Settings {
  readonly values: ReadonlyMap<string, string>;
  readonly offset: number;
}

/** Offsets after strings that end like the settings. */
function endsIn(subject: Subject): number[] {
  return xorHits(subject, WINOS_NEEDLES)
    .filter(({ key }) => key === 0)
    .slice(0, MAX_TRIES)
    .map(({ offset }) => offset + LAST_BYTES);
}

function findSettings(subject: Subject): Settings[] {
  return endsIn(subject).flatMap((end) => {
    const start = Math.max(end % 2, end - MAX_LENGTH * 2);
    const settings = parseSettings(reversed(subject.bytes.toString('utf16le', start, end)));
    return settings === undefined
      ? []
      : { values: settings.values, offset: end - settings.length * 2 };
  });
}

/** Reverses UTF-16 units, as the program does. */
function reversed(text: string): string {
  let result = '';
  for (let index = text.length - 1; index >= 0; index -= 1) result += text[index];
  return result;
}

/** `undefined` unless the text starts with all fields. Other data follows. */
function parseSettings(
  text: string,
): { values: ReadonlyMap<string, string>; length: number } | undefined {
  const values = new Map<string, string>();
  let at = 0;
  for (const { key, isValid, isOptional = false } of FIELDS) {
    const start = `|${key}:`;
    const isPresent = text.startsWith(start, at);
    if (!isPresent && isOptional) continue;
    const end = text.indexOf('|', at + start.length);
    const value = isPresent && end !== -1 ? text.slice(at + start.length, end) : undefined;
    if (value === undefined || !isValid(value)) return undefined;
    values.set(key, value);
    at = end;
  }
  return { values, length: at + 1 };
}

/** Local addresses are the builder's placeholders: they are shown, but are no servers. */
function serversOf(values: ReadonlyMap<string, string>): Endpoint[] {
  const endpoints = new Map<string, Endpoint>();
  for (const number of ['1', '2', '3']) {
    const host = values.get(`p${number}`) ?? '';
    const port = parsePort(values.get(`o${number}`) ?? '');
    if (host === '' || port === undefined) continue;
    const protocol = values.get(`t${number}`) === '1' ? 'tcp' : 'udp';
    const usage = LOCAL.test(host) ? 'other' : 'c2';
    endpoints.set(`${protocol} ${host} ${port}`, { protocol, usage, host, port });
  }
  return [...endpoints.values()];
}
