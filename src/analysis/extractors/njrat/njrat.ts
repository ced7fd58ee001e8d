import type { ConstantStore } from '../../formats/dotnet/stack-values.ts';
import type { Budget } from '../../formats/format.ts';
import { pickTags, switchedOn } from '../capability-tags.ts';
import {
  type DotnetSettings,
  type LocatedText,
  type SettingsBlock,
  settingsOf,
} from '../dotnet-settings/dotnet-settings.ts';
import { hasLiteral, hasName, literals } from '../dotnet-settings/metadata-probes.ts';
import { parsePort } from '../endpoints/addresses.ts';
import type { Extraction, Extractor, Recognition } from '../extractor.ts';
import { isPlaceholder, listOf, otherSettings } from '../setting-texts.ts';
import { decoded, endpointsOf, partsOf, Replacements, rawTextOf, textOf } from './hosts.ts';

/**
 * njRAT (Bladabindi) keeps its settings as plain static fields of one class, stored by its static constructor:
 *
 * | field | what |
 * |---|---|
 * | VN | campaign, base64 |
 * | VR | version: `0.7d`, `im523` |
 * | EXE, DR | file it installs itself as, and the variable of the folder (`TEMP`) |
 * | RG | 32 hex digits: mutex, and name of the Run value |
 * | H (HH where code makes H of it), P | host, port |
 * | Y (SPL) | what separates the parts of a message: `|'|'|` |
 * | BD, Idr, IsF, Isu | "True" or "False", made a boolean: critical process, copy, startup folder, Run key |
 *
 * The order is that of the table, in the code and among the literals, so that it is read where the names are
 * gone; in editions that were made of decompiled code it is that of the alphabet, with the key of the registry (sf)
 * between RG and VN. Variants hide the host: letters replaced before base64, or a URL written backwards (a paste that
 * holds the real host).
 *
 * References: https://cybergeeks.tech/just-another-analysis-of-the-njrat-malware-a-step-by-step-approach/,
 * https://hidocohen.medium.com/njrat-malware-analysis-198188d6339a
 */
type Role = 'campaign' | 'version' | 'file' | 'folder' | 'key' | 'host' | 'port' | 'delimiter';

type Texts = ReadonlyMap<Role, string>;

interface Reading {
  readonly texts: Texts;
  readonly offset: number;
  /** Names of the fields that are true; a reading by order cannot tell. */
  readonly switches: ReadonlySet<string>;
}

const ROLES: ReadonlyMap<string, Role> = new Map([
  ['VN', 'campaign'],
  ['VR', 'version'],
  ['EXE', 'file'],
  ['DR', 'folder'],
  ['RG', 'key'],
  ['H', 'host'],
  ['HH', 'host'],
  ['P', 'port'],
  ['Y', 'delimiter'],
  ['SPL', 'delimiter'],
]);
const NEEDED: readonly Role[] = ['campaign', 'version', 'host', 'port'];
/** Any of these beside them: four short names alone may be chance. */
const TELLING: readonly Role[] = ['key', 'delimiter', 'folder'];
/** Of a reading by order, which begins with the version. */
const ORDER: readonly Role[] = ['version', 'file', 'folder', 'key', 'host', 'port', 'delimiter'];

const VERSIONS: ReadonlySet<string> = new Set(
  '0.3.6 0.4.1a 0.5.0E 0.6.4 0.7 0.7d 0.7D 0.7.3 0.7NC im523 v2.0 v4.0 Platinum'.split(' '),
);
const FOLDERS =
  /^%?(?:TEMP|APPDATA|LOCALAPPDATA|USERPROFILE|ALLUSERSPROFILE|PROGRAMDATA|WINDIR|SYSTEMDRIVE)%?$/i;
const RUN_KEY = 'Software\\Microsoft\\Windows\\CurrentVersion\\Run';
/** How far behind that key. */
const FARTHEST_VERSION = 5;
/** For `matches`, where names are gone: the usual delimiter, and versions that come with others. */
const TELLTALES = literals("|'|'|", '0.7d', '0.7NC', 'im523');

const MOST_READINGS = 16;

export const njrat: Extractor = {
  family: 'njrat',
  category: 'RAT',
  tags: pickTags('SETTING_INSTALL', 'SETTING_CRITICAL_PROCESS', 'SETTING_DEAD_DROP'),
  pages: {
    njrat: {
      name: 'njRAT (Bladabindi)',
      reads: 'hosts, ports, campaign, version, mutex, install folder and file, delimiter, switches',
      versions:
        '0.6.4 to 0.7 and their editions; names gone: those that keep the order of the fields, or have that of the alphabet',
      proof: 'four fields by name, or six values in order, each of the form that it must have',
      notCovered:
        'settings that are encrypted; hosts that code puts together piece by piece or turns around in a way of its own; settings that no constructor stores, or that are compiled into the code as constants',
      references: [
        'https://cybergeeks.tech/just-another-analysis-of-the-njrat-malware-a-step-by-step-approach/',
        'https://hidocohen.medium.com/njrat-malware-analysis-198188d6339a',
      ],
    },
  },

  matches: (subject) =>
    (hasName(subject, 'VN') && hasName(subject, 'VR')) || hasLiteral(subject, TELLTALES),

  extract(subject, budget) {
    const settings = settingsOf(subject);
    if (settings === undefined) return undefined;
    const replacements = new Replacements(settings.file);
    for (const reading of readings(settings, budget).take(MOST_READINGS)) {
      if (isTemplate(reading.texts)) return template(reading);
      const extraction = describe(reading, replacements, budget);
      if (extraction !== undefined) return extraction;
    }
    return undefined;
  },
};

/** By name first, then by order in the code, then by order among the literals. */
function* readings(settings: DotnetSettings, budget: Budget): Generator<Reading> {
  for (const block of settings.blocks) {
    if (budget.isOver()) return;
    const reading = byName(block);
    if (reading !== undefined) yield reading;
  }
  for (const { fields } of settings.blocks) {
    if (budget.isOver()) return;
    const texts = fields.flatMap((one) => {
      const text = textOf(one);
      return text === undefined ? [] : [{ text, offset: one.offset }];
    });
    yield* byOrder(texts);
    const reading = byAlphabet(texts);
    if (reading !== undefined) yield reading;
  }
  yield* byOrder(settings.strings);
}

function byName({ fields }: SettingsBlock): Reading | undefined {
  const texts = new Map<Role, string>();
  let offset = 0;
  for (const field of fields) {
    const role = ROLES.get(field.field);
    const text = textOf(field) ?? rawTextOf(field);
    if (role === undefined || text === undefined || texts.has(role)) continue;
    texts.set(role, text);
    if (role === 'host') ({ offset } = field);
  }
  const isWhole =
    NEEDED.every((role) => texts.has(role)) && TELLING.some((role) => texts.has(role));
  return isWhole ? { texts, offset, switches: switchesOf(fields) } : undefined;
}

function* byOrder(texts: readonly LocatedText[]): Generator<Reading> {
  for (let at = 0; at + ORDER.length <= texts.length; at += 1) {
    if (!VERSIONS.has(texts[at]?.text ?? '')) continue;
    const roles = new Map(ORDER.map((role, place) => [role, texts[at + place]?.text ?? '']));
    roles.set('campaign', texts[at - 1]?.text ?? '');
    if (isInOrder(roles))
      yield { texts: roles, offset: texts[at + 4]?.offset ?? 0, switches: new Set() };
  }
}

/** DR, EXE, H, P, RG, sf, VN, VR, Y; between them editions have some texts of their own, and empty ones. */
function byAlphabet(all: readonly LocatedText[]): Reading | undefined {
  const texts = all.filter(({ text }) => text !== '');
  const runAt = texts.findIndex(({ text }) => text === RUN_KEY);
  const [before, behind] = [texts.slice(0, Math.max(runAt, 0)), texts.slice(runAt + 1)];
  const folderAt = before.findLastIndex(({ text }) => FOLDERS.test(text));
  const fileAt = before.findIndex(({ text }, place) => place > folderAt && isProgram(text));
  const versionAt = behind.slice(0, FARTHEST_VERSION).findIndex(({ text }) => VERSIONS.has(text));
  const campaign = behind.slice(0, versionAt).find(({ text }) => decoded(text) !== undefined);
  const host = before[fileAt + 1];
  if (runAt === -1 || folderAt === -1 || fileAt === -1 || versionAt < 1 || host === undefined)
    return undefined;
  const roles = new Map<Role, string>([
    ['folder', before[folderAt]?.text ?? ''],
    ['file', before[fileAt]?.text ?? ''],
    ['host', host.text],
    ['port', before.at(-2)?.text ?? ''],
    ['key', before.at(-1)?.text ?? ''],
    ['campaign', campaign?.text ?? ''],
    ['version', behind[versionAt]?.text ?? ''],
    ['delimiter', behind[versionAt + 1]?.text ?? ''],
  ]);
  return isInOrder(roles) ? { texts: roles, offset: host.offset, switches: new Set() } : undefined;
}

function isProgram(text: string): boolean {
  return /^[^\\/:*?"<>|]{1,120}\.exe$/i.test(text);
}

/** Host and port are looked at by whoever describes them. */
function isInOrder(texts: Texts): boolean {
  const text = (role: Role) => texts.get(role) ?? '';
  return (
    isProgram(text('file')) &&
    FOLDERS.test(text('folder')) &&
    /^[0-9a-f]{32}$/i.test(text('key')) &&
    decoded(text('campaign')) !== undefined
  );
}

function isTemplate(texts: Texts): boolean {
  return NEEDED.filter((role) => isPlaceholder(texts.get(role) ?? '')).length >= 3;
}

function template({ offset }: Reading): Recognition {
  return { unread: 'template that was never built', offset };
}

function describe(
  { texts, offset, switches }: Reading,
  replacements: Replacements,
  budget: Budget,
): Extraction | undefined {
  const ports = partsOf(texts.get('port') ?? '').flatMap((text) => parsePort(text) ?? []);
  if (ports.length === 0) return undefined;
  const endpoints = endpointsOf(texts.get('host') ?? '', ports, replacements, budget);
  if (endpoints.length === 0) return undefined;
  const campaign = texts.get('campaign') ?? '';
  return {
    version: listOf(texts.get('version'))?.[0],
    campaign: listOf(decoded(campaign) ?? campaign),
    // The Run value has the same name.
    mutex: listOf(texts.get('key')),
    endpoints,
    other: otherSettings({
      'Install Folder': texts.get('folder'),
      'Install File': texts.get('file'),
      'Registry Value': texts.get('key'),
      Delimiter: texts.get('delimiter'),
    }),
    capabilities: switchedOn({
      SETTING_INSTALL: ['Idr', 'IsF', 'Isu'].some((name) => switches.has(name)),
      SETTING_CRITICAL_PROCESS: switches.has('BD'),
      SETTING_DEAD_DROP: endpoints.some(({ usage }) => usage === 'dead-drop'),
    }),
    offset,
  };
}

/** Stored as a text that is made a boolean, or as one. */
function switchesOf(fields: readonly ConstantStore[]): Set<string> {
  const on = fields.filter(({ value }) => value === 1 || value === 'True' || value === 'true');
  return new Set(on.map(({ field }) => field));
}
