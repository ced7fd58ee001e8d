import { base64Bytes } from '../../codecs/base64.ts';
import { readableText } from '../../codecs/readable-text.ts';
import type { DotnetFile } from '../../formats/dotnet/file.ts';
import type { UserString } from '../../formats/dotnet/heaps.ts';
import type { ConstantStore } from '../../formats/dotnet/stack-values.ts';
import type { Budget } from '../../formats/format.ts';
import {
  type DotnetSettings,
  type LocatedText,
  type SettingsBlock,
  settingsOf,
} from '../dotnet-settings/dotnet-settings.ts';
import { hasLiteral, hasName, literals } from '../dotnet-settings/metadata-probes.ts';
import { splitList } from '../endpoints/addresses.ts';
import { parseCheckedHostPort } from '../endpoints/hosts.ts';
import type { Endpoint, Extraction, Extractor, Recognition } from '../extractor.ts';
import { isPlaceholder, listOf, otherSettings } from '../setting-texts.ts';

/**
 * RedLine (and what was made of its source, such as MetaStealer) keeps its settings in fields of one class,
 * stored by its constructor in this order:
 *
 * | field | what |
 * |---|---|
 * | IP | `host:port`, several separated by `|` |
 * | ID | name of the campaign |
 * | Message | text of a message box that is shown, mostly empty |
 * | Key | what the others are XORed with |
 * | Version | a number, in some builds |
 *
 *   value = base64( UTF-8( XOR( base64( UTF-8 text ), Key ) ) )      the key is repeated, sign by sign
 *
 * Some builds have the values plain. Where constants stand in the code instead of in fields, they lie among the
 * literals next to `Yandex\YaAddon` or `Authorization`. It talks to its server by WCF, whose name no
 * obfuscator can take away.
 *
 * Reference: https://malpedia.caad.fkie.fraunhofer.de/details/win.redline_stealer
 */
interface Sealed {
  readonly texts: readonly LocatedText[];
  /** Places in `texts`. */
  readonly value: number;
  readonly key: number;
}

const ANCHOR = 'Yandex\\YaAddon';
const ANCHORS: ReadonlySet<string> = new Set([ANCHOR, 'Authorization']);
const ANCHOR_LITERALS = literals(ANCHOR);
/** How far from an anchor the settings lie. */
const AROUND = 8;
const NAMES = ['IP', 'ID', 'Message', 'Key'] as const;
/** Builds with plain settings may have no key. */
const NEEDED = ['IP', 'ID', 'Message'] as const;
/** Settings are a handful; every value is tried with every other as its key. */
const MOST_TEXTS = 32;
const MOST_BLOCKS = 2_000;
/** So much is tried before all of it. */
const PROBE = 16;

export const redline: Extractor = {
  family: 'redline',
  category: 'STEALER',
  pages: {
    redline: {
      name: 'RedLine',
      reads: 'hosts and ports, campaign, message, key, authorization value',
      versions:
        'builds with the encoded or the plain settings, also with names gone; MetaStealer and other clones that keep the layout are told as RedLine',
      proof:
        'both layers of base64 are whole under the key, and the result is host and port; plain: the form, and texts that the family has beside it',
      notCovered:
        'MetaStealer with strings of its own encryption; names gone and the order changed, as to campaign and message; settings that are compiled into the code as constants and lie far from the texts it is known by; loaders around it',
      references: ['https://malpedia.caad.fkie.fraunhofer.de/details/win.redline_stealer'],
    },
  },

  matches: (subject) =>
    hasName(subject, 'System.ServiceModel') || hasLiteral(subject, ANCHOR_LITERALS),

  extract(subject, budget) {
    const settings = settingsOf(subject);
    if (settings === undefined) return undefined;
    const declared = namesByType(settings.file);
    for (const block of settings.blocks.slice(0, MOST_BLOCKS)) {
      if (budget.isOver()) return undefined;
      const named = fieldsByName(block, declared);
      const found = named === undefined ? undefined : readNamed(named, settings);
      if (found !== undefined) return found;
    }
    for (const texts of sequences(settings)) {
      const sealed = findSealed(texts, budget);
      if (sealed !== undefined) return describeSealed(sealed, settings);
      if (budget.isOver()) return undefined;
    }
    return readPlainFields(settings) ?? readPlainLiterals(settings);
  },
};

interface Named {
  readonly ip: LocatedText;
  readonly id: string;
  readonly message: string;
  /** Nothing where there is no such field. */
  readonly key: string | undefined;
  readonly version?: string | undefined;
}

type NamesByType = ReadonlyMap<string, ReadonlySet<string>>;

/** Of all fields that have one of the names; in one pass, for there may be thousands of types. */
function namesByType({ fields }: DotnetFile): NamesByType {
  const wanted = new Set<string>(NAMES);
  const types = new Map<string, Set<string>>();
  for (const { type, name } of fields) {
    if (!wanted.has(name)) continue;
    const names = types.get(type) ?? new Set();
    types.set(type, names.add(name));
  }
  return types;
}

/** Empty ones may be `string.Empty`, which is no constant of the program: it is enough that the field is there. */
function fieldsByName({ fields }: SettingsBlock, declared: NamesByType): Named | undefined {
  const ip = fields.find(({ field, result }) => field === 'IP' && typeof result === 'string');
  if (ip === undefined) return undefined;
  const own = new Map(
    fields.filter(({ type }) => type === ip.type).map(({ field, result }) => [field, result]),
  );
  if (!NEEDED.every((name) => declared.get(ip.type)?.has(name))) return undefined;
  const text = (name: (typeof NAMES)[number]) => {
    const value = own.get(name);
    return typeof value === 'string' ? value : '';
  };
  const version = own.get('Version');
  return {
    ip: { text: text('IP'), offset: ip.offset },
    id: text('ID'),
    message: text('Message'),
    key: declared.get(ip.type)?.has('Key') ? text('Key') : undefined,
    version: typeof version === 'number' ? version.toString() : undefined,
  };
}

function readNamed(
  { ip, id, message, key, version }: Named,
  settings: DotnetSettings,
): Extraction | Recognition | undefined {
  const { offset } = ip;
  if (isPlaceholder(ip.text) && isPlaceholder(id) && hasOwnText(settings))
    return { unread: 'template that was never built', offset };
  const open = (text: string) => unsealed(text, key ?? '');
  const sealed = placesOf(open(ip.text) ?? '');
  if (sealed.length > 0) {
    const [campaign, shown] = [open(id), open(message)];
    return describe(settings, {
      endpoints: sealed,
      version,
      campaign,
      message: shown,
      key,
      offset,
    });
  }
  const endpoints = placesOf(ip.text);
  // Such fields alone may be those of any program: plain ones need a text of the family beside them.
  const isOwn = key === undefined ? hasAnchor(settings) : hasOwnText(settings);
  if (endpoints.length === 0 || !isOwn) return undefined;
  return describe(settings, { endpoints, version, campaign: id, message, offset });
}

function hasOwnText(settings: DotnetSettings): boolean {
  return authorizationIn(settings.strings) !== undefined || hasAnchor(settings);
}

function hasAnchor({ strings }: DotnetSettings): boolean {
  return strings.some(({ text }) => text === ANCHOR);
}

/** Where settings may lie when names say nothing: each constructor, and the literals around the anchors. */
function* sequences(settings: DotnetSettings): Generator<readonly LocatedText[]> {
  for (const { fields } of settings.blocks.slice(0, MOST_BLOCKS)) {
    yield* windowsOf(fields.flatMap(textOf));
  }
  for (const at of anchorsIn(settings.strings)) {
    yield settings.strings.slice(Math.max(at - AROUND, 0), at + AROUND + 1);
  }
}

function textOf({ result, offset }: ConstantStore): LocatedText[] {
  return typeof result === 'string' ? [{ text: result, offset }] : [];
}

/** A long constructor in pieces that overlap by half, so that what lies together is seen together. */
function* windowsOf(texts: readonly LocatedText[]): Generator<readonly LocatedText[]> {
  for (let at = 0; at === 0 || at + MOST_TEXTS / 2 < texts.length; at += MOST_TEXTS / 2) {
    yield texts.slice(at, at + MOST_TEXTS);
  }
}

function anchorsIn(strings: readonly UserString[]): number[] {
  return strings.flatMap(({ text }, place) => (ANCHORS.has(text) ? [place] : [])).slice(0, 8);
}

/** Each value with each other text as its key, until one gives an address. */
function findSealed(texts: readonly LocatedText[], budget: Budget): Sealed | undefined {
  for (const [value, { text }] of texts.entries()) {
    if (budget.isOver()) return undefined;
    const outer = outerLayer(text);
    if (outer === undefined) continue;
    const key = texts.findIndex(
      (one, place) => place !== value && placesOf(innerLayer(outer, one.text) ?? '').length > 0,
    );
    if (key !== -1) return { texts, value, key };
  }
  return undefined;
}

function describeSealed({ texts, value, key }: Sealed, settings: DotnetSettings): Extraction {
  const keyText = texts[key]?.text ?? '';
  const open = (place: number) =>
    place === key ? undefined : unsealed(texts[place]?.text ?? '', keyText);
  return describe(settings, {
    endpoints: placesOf(open(value) ?? ''),
    campaign: open(value + 1),
    message: open(value + 2),
    key: keyText,
    offset: texts[value]?.offset ?? 0,
  });
}

/** Plain settings whose names are gone: a constructor that stores them and little else, beside the text that no other program has. */
function readPlainFields(settings: DotnetSettings): Extraction | undefined {
  if (!hasAnchor(settings)) return undefined;
  for (const { fields } of settings.blocks.slice(0, MOST_BLOCKS)) {
    const [ip, id, message, ...more] = fields.flatMap(textOf);
    const endpoints = placesOf(ip?.text ?? '');
    if (ip === undefined || message === undefined || more.length > 1 || endpoints.length === 0)
      continue;
    return describe(settings, {
      endpoints,
      campaign: id?.text,
      message: message.text,
      offset: ip.offset,
    });
  }
  return undefined;
}

/** Plain settings among the literals: only right behind the one that no other program has. */
function readPlainLiterals(settings: DotnetSettings): Extraction | undefined {
  const { strings } = settings;
  const at = strings.findIndex(({ text }) => text === ANCHOR);
  if (at === -1) return undefined;
  const next = strings.slice(at + 1, at + 4);
  const place = next.findIndex(({ text }) => placesOf(text).length > 0);
  const found = next[place];
  if (found === undefined) return undefined;
  return describe(settings, {
    endpoints: placesOf(found.text),
    campaign: next[place + 1]?.text,
    offset: found.offset,
  });
}

interface Described {
  readonly endpoints: readonly Endpoint[];
  readonly version?: string | undefined;
  readonly campaign: string | undefined;
  readonly message?: string | undefined;
  readonly key?: string | undefined;
  readonly offset: number;
}

function describe({ strings }: DotnetSettings, described: Described): Extraction {
  const { endpoints, version, campaign, message, key, offset } = described;
  return {
    version,
    campaign: listOf(campaign),
    endpoints,
    other: otherSettings({
      Message: message,
      'XOR Key': key,
      Authorization: authorizationIn(strings),
    }),
    offset,
  };
}

/** The header that the server asks for: name, namespace, value, one behind the other. */
function authorizationIn(strings: readonly UserString[]): string | undefined {
  const at = strings.findIndex(({ text }) => text === 'Authorization');
  if (at === -1) return undefined;
  return strings.slice(at + 1, at + 4).find(({ text }) => /^[0-9a-f]{32}$/.test(text))?.text;
}

function placesOf(text: string): Endpoint[] {
  return splitList(text, '|').flatMap((part): Endpoint[] => {
    const place = parseCheckedHostPort(part.replace(/^(?:net\.)?tcp:\/\//, '').replace(/\/$/, ''));
    return place === undefined ? [] : [{ protocol: 'tcp', usage: 'c2', ...place }];
  });
}

function unsealed(text: string, key: string): string | undefined {
  const outer = outerLayer(text);
  return outer === undefined ? undefined : innerLayer(outer, key);
}

function outerLayer(text: string): string | undefined {
  return base64Bytes(text)?.toString('utf8');
}

/** Most keys are wrong, and the first few signs say so. */
function innerLayer(outer: string, key: string): string | undefined {
  if (key === '' || !/^[A-Za-z0-9+/=]+$/.test(xored(outer.slice(0, PROBE), key))) return undefined;
  return readableText(base64Bytes(xored(outer, key)));
}

function xored(text: string, key: string): string {
  const codes = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) {
    codes[at] = text.charCodeAt(at) ^ key.charCodeAt(at % key.length);
  }
  return Buffer.from(codes.buffer).toString('utf16le');
}
