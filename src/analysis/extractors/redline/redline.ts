import type { UserString } from '../../formats/dotnet/heaps.ts';
import type { Budget } from '../../formats/format.ts';
import {
  type DotnetSettings,
  type LocatedText,
  settingsOf,
} from '../dotnet-settings/dotnet-settings.ts';
import { firstUsed } from '../dotnet-settings/field-uses.ts';
import { hasLiteral, hasName, isDotnet, literals } from '../dotnet-settings/metadata-probes.ts';
import type { Extraction, Extractor, Recognition } from '../extractor.ts';
import { isPlaceholder } from '../setting-texts.ts';
import { decodeInnerLayer, decodeOuterLayer, decodeValue } from './encoding.ts';
import { fieldsByName, type NamedFields, namesByType } from './named-fields.ts';
import { readPlain } from './plain-settings.ts';
import {
  ANCHOR,
  type Candidate,
  describe,
  endpointsIn,
  hasAnchor,
  hasOwnText,
  isReplaced,
  MAX_BLOCKS,
  textOf,
} from './settings.ts';

/**
 * RedLine (and derivatives of its source, such as MetaStealer) keeps its settings in fields of one
 * class. The constructor sets them in this order:
 *
 * | field | content |
 * |---|---|
 * | IP | `host:port`, several separated by `|` |
 * | ID | campaign |
 * | Message | text of a message box, usually empty |
 * | Key | XOR key of the other values (see `encoding.ts`) |
 * | Version | a number, in some builds |
 *
 * Some builds have plain values. If the settings are compiled into the code, they are literals near
 * `Yandex\\YaAddon` or `Authorization`. The client uses WCF (`System.ServiceModel`). A program that
 * lacks both the anchor and that name, because it loads WCF by reflection, needs stronger proof:
 * the names of the fields, or a second value that decodes with the same key.
 *
 * Reference: https://malpedia.caad.fkie.fraunhofer.de/details/win.redline_stealer
 */
const ANCHORS: ReadonlySet<string> = new Set([ANCHOR, 'Authorization']);
const ANCHOR_LITERALS = literals(ANCHOR);
const WCF = 'System.ServiceModel';
const MAX_ANCHORS = 8;
/** Distance of the settings from an anchor, in literals. */
const ANCHOR_RADIUS = 8;
/** Every text is tried as the key of every other, so windows are small. */
const WINDOW_LENGTH = 32;

export const redline: Extractor = {
  family: 'redline',
  category: 'STEALER',
  pages: {
    redline: {
      name: 'RedLine',
      reads: 'hosts and ports, campaign, message, key, authorization value',
      versions:
        'builds with the encoded or the plain settings, also with obfuscated names; MetaStealer and other clones with the same layout are reported as RedLine',
      proof:
        'encoded: both layers of base64 decode with the key, and the result is host and port (with obfuscated names and without the name of WCF, of a second value, too); plain: none (reported as heuristic), the form and literals of the family',
      notCovered:
        'MetaStealer with its own string encryption; obfuscated names in a changed order (campaign and message); settings that are compiled into the code as constants and are far from the known literals; loaders that contain it',
      references: ['https://malpedia.caad.fkie.fraunhofer.de/details/win.redline_stealer'],
    },
  },

  matches: isDotnet,

  extract(subject, budget) {
    const settings = settingsOf(subject);
    if (settings === undefined) return undefined;
    const namesWcf = hasName(subject, WCF);
    const isLikely = namesWcf || hasLiteral(subject, ANCHOR_LITERALS);
    const proved =
      firstUsed(inNamedFields(settings, { budget, isLikely }), settings) ??
      firstUsed(encoded(settings, { budget, minDecoded: isLikely ? 1 : 2 }), settings);
    if (proved !== undefined || !isLikely || budget.isOver()) return proved?.found;
    // Detection tools contain the anchor and addresses, too.
    if (!namesWcf || !hasAnchor(settings)) return undefined;
    return readPlain(settings);
  },
};

function* inNamedFields(
  settings: DotnetSettings,
  { budget, isLikely }: { readonly budget: Budget; readonly isLikely: boolean },
): Generator<Candidate> {
  const declared = namesByType(settings.file);
  for (const block of settings.blocks.slice(0, MAX_BLOCKS)) {
    if (budget.isOver()) return;
    const named = fieldsByName(block, declared);
    const found = named && readNamed(named, settings, isLikely);
    if (found !== undefined && !isReplaced(block, found, settings)) yield { block, found };
  }
}

/** `minDecoded` values must decode with one key. */
function* encoded(
  settings: DotnetSettings,
  { budget, minDecoded }: { readonly budget: Budget; readonly minDecoded: number },
): Generator<Candidate> {
  for (const { block, texts } of candidateWindows(settings)) {
    const values = findEncoded(texts, budget);
    if (values !== undefined && decodedCount(values) >= minDecoded) {
      const found = describeEncoded(values, settings);
      if (!isReplaced(block, found, settings)) yield { block, found };
    }
    if (budget.isOver()) return;
  }
}

function readNamed(
  { ip, id, message, key, version, isChangedLater }: NamedFields,
  settings: DotnetSettings,
  isLikely: boolean,
): Extraction | Recognition | undefined {
  const { offset } = ip;
  const decode = (text: string) => decodeValue(text, key ?? '');
  const decoded = endpointsIn(decode(ip.text) ?? '');
  if (decoded.length > 0) {
    const [campaign, shown] = [decode(id), decode(message)];
    return describe(settings, {
      endpoints: decoded,
      version,
      campaign,
      message: shown,
      key,
      offset,
    });
  }
  // Any program may have such fields and an authorization header, so plain values need WCF or the
  // anchor, and a literal of the family.
  if (!isLikely) return undefined;
  if (isPlaceholder(ip.text) && isPlaceholder(id) && hasOwnText(settings))
    return { unread: 'template that was never built', offset };
  const endpoints = endpointsIn(ip.text);
  const isOwn = key === undefined ? hasAnchor(settings) : hasOwnText(settings);
  if (endpoints.length === 0 || !isOwn || isChangedLater) return undefined;
  return {
    ...describe(settings, { endpoints, version, campaign: id, message, offset }),
    heuristic: true,
  };
}

/**
 * Candidates for obfuscated names: the texts of each constructor, and the literals near the
 * anchors.
 */
function* candidateWindows(settings: DotnetSettings): Generator<CandidateWindow> {
  for (const block of settings.blocks.slice(0, MAX_BLOCKS)) {
    for (const texts of windowsOf(block.fields.flatMap(textOf))) yield { block, texts };
  }
  for (const index of anchorsIn(settings.strings)) {
    const start = Math.max(index - ANCHOR_RADIUS, 0);
    const texts = settings.strings.slice(start, index + ANCHOR_RADIUS + 1);
    yield { block: { fields: [] }, texts };
  }
}

interface CandidateWindow {
  /** Without fields for literals. */
  readonly block: Candidate['block'];
  readonly texts: readonly LocatedText[];
}

/** Windows that overlap by half, so that neighbours share one. */
function* windowsOf(texts: readonly LocatedText[]): Generator<readonly LocatedText[]> {
  const step = WINDOW_LENGTH / 2;
  for (let start = 0; start === 0 || start + step < texts.length; start += step) {
    yield texts.slice(start, start + WINDOW_LENGTH);
  }
}

function anchorsIn(strings: readonly UserString[]): number[] {
  return strings
    .flatMap(({ text }, index) => (ANCHORS.has(text) ? [index] : []))
    .slice(0, MAX_ANCHORS);
}

/** Indexes in `texts`. */
interface EncodedSettings {
  readonly texts: readonly LocatedText[];
  readonly value: number;
  readonly key: number;
}

/** Tries each text as the key of each other, until one decodes to an endpoint. */
function findEncoded(texts: readonly LocatedText[], budget: Budget): EncodedSettings | undefined {
  for (const [value, { text }] of texts.entries()) {
    if (budget.isOver()) return undefined;
    const outer = decodeOuterLayer(text);
    if (outer === undefined) continue;
    const key = texts.findIndex(
      (one, index) =>
        index !== value && endpointsIn(decodeInnerLayer(outer, one.text) ?? '').length > 0,
    );
    if (key !== -1) return { texts, value, key };
  }
  return undefined;
}

/** How many texts of the window decode with the key. */
function decodedCount({ texts, key }: EncodedSettings): number {
  const keyText = texts[key]?.text ?? '';
  return texts.filter(({ text }, index) => index !== key && decodeValue(text, keyText)).length;
}

function describeEncoded(
  { texts, value, key }: EncodedSettings,
  settings: DotnetSettings,
): Extraction {
  const keyText = texts[key]?.text ?? '';
  const decode = (index: number) =>
    index === key ? undefined : decodeValue(texts[index]?.text ?? '', keyText);
  return describe(settings, {
    endpoints: endpointsIn(decode(value) ?? ''),
    campaign: decode(value + 1),
    message: decode(value + 2),
    key: keyText,
    offset: texts[value]?.offset ?? 0,
  });
}
