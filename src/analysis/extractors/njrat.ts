import type { ConstantStore } from '../formats/dotnet/constants.ts';
import type { Budget } from '../formats/format.ts';
import type { Extraction, Extractor, Recognition } from './extractor.ts';
import { decoded, endpointsOf, partsOf, Replacements, textOf } from './njrat-hosts.ts';
import { listOf, otherSettings, parsePort } from './shared/addresses.ts';
import { pickTags, switchedOn } from './shared/capability-tags.ts';
import { hasLiteral, literals } from './shared/dotnet-literals.ts';
import {
  type DotnetSettings,
  hasName,
  type SettingsBlock,
  settingsOf,
} from './shared/dotnet-settings.ts';
import { isPlaceholder } from './shared/value-shapes.ts';

/**
 * njRAT (Bladabindi) keeps its settings as plain static fields of one class, stored by its static constructor:
 *
 * | field | what |
 * |---|---|
 * | VN | campaign, base64 |
 * | VR | version: `0.7d`, `im523` |
 * | EXE, DR | file it installs itself as, and the variable of the folder (`TEMP`) |
 * | RG | 32 hex digits: mutex, and name of the Run value |
 * | H, P | host, port |
 * | Y (SPL) | what separates the parts of a message: `|'|'|` |
 * | BD, Idr, IsF, Isu | "True" or "False", made a boolean: critical process, copy, startup folder, Run key |
 *
 * The order is that of the table, in the code and among the literals, so that it is read where the names are
 * gone. Variants hide the host: letters replaced before base64, or a URL written backwards (a paste that
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
        '0.6.4 to 0.7 and their editions; names gone: those that keep the order of the fields',
      proof: 'four fields by name, or six values in order, each of the form that it must have',
      notCovered: 'settings that are encrypted; hosts that code puts together piece by piece',
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
  }
  yield* byOrder(settings.strings);
}

function byName({ fields }: SettingsBlock): Reading | undefined {
  const texts = new Map<Role, string>();
  let offset = 0;
  for (const field of fields) {
    const role = ROLES.get(field.field);
    if (role === undefined || typeof field.value !== 'string' || texts.has(role)) continue;
    texts.set(role, textOf(field) ?? field.value);
    if (role === 'host') ({ offset } = field);
  }
  const isWhole =
    NEEDED.every((role) => texts.has(role)) && TELLING.some((role) => texts.has(role));
  return isWhole ? { texts, offset, switches: switchesOf(fields) } : undefined;
}

function* byOrder(texts: readonly { text: string; offset: number }[]): Generator<Reading> {
  for (let at = 0; at + ORDER.length <= texts.length; at += 1) {
    if (!VERSIONS.has(texts[at]?.text ?? '')) continue;
    const roles = new Map(ORDER.map((role, place) => [role, texts[at + place]?.text ?? '']));
    roles.set('campaign', texts[at - 1]?.text ?? '');
    if (isInOrder(roles))
      yield { texts: roles, offset: texts[at + 4]?.offset ?? 0, switches: new Set() };
  }
}

/** Host and port are looked at by whoever describes them. */
function isInOrder(texts: Texts): boolean {
  const text = (role: Role) => texts.get(role) ?? '';
  return (
    /^[^\\/:*?"<>|]{1,120}\.exe$/i.test(text('file')) &&
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
