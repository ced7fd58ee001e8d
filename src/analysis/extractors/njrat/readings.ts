import type { ConstantStore } from '../../formats/dotnet/stack-values.ts';
import type { Budget } from '../../formats/format.ts';
import type {
  DotnetSettings,
  LocatedText,
  SettingsBlock,
} from '../dotnet-settings/dotnet-settings.ts';
import { decodeText, rawTextOf, textOf } from './hosts.ts';

/**
 * Assigns the texts of an njRAT client to its settings: by field name, by the order of the fields,
 * or by alphabetical order, which editions built from decompiled code have. That order has the
 * registry key (sf) between RG and VN.
 */
export type Role =
  | 'campaign'
  | 'version'
  | 'file'
  | 'folder'
  | 'key'
  | 'host'
  | 'port'
  | 'delimiter';

export type TextsByRole = ReadonlyMap<Role, string>;

export interface Reading {
  readonly texts: TextsByRole;
  readonly offset: number;
  readonly block: SettingsBlock;
  /** Names of the fields that are true. Empty for a reading by order. */
  readonly switches: ReadonlySet<string>;
  /** Whether a method of the program changes the host. */
  readonly isHostChanged: boolean;
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
export const REQUIRED_ROLES: readonly Role[] = ['campaign', 'version', 'host', 'port'];
/** One of these is required as well: four short names alone may be a coincidence. */
const CONFIRMING_ROLES: readonly Role[] = ['key', 'delimiter', 'folder'];
/** Order of the fields, from the version on. */
const ORDER: readonly Role[] = ['version', 'file', 'folder', 'key', 'host', 'port', 'delimiter'];

const VERSIONS: ReadonlySet<string> = new Set(
  '0.3.6 0.4.1a 0.5.0E 0.6.4 0.7 0.7d 0.7D 0.7.3 0.7NC im523 v2.0 v4.0 Platinum'.split(' '),
);
const FOLDERS =
  /^%?(?:TEMP|APPDATA|LOCALAPPDATA|USERPROFILE|ALLUSERSPROFILE|PROGRAMDATA|WINDIR|SYSTEMDRIVE)%?$/i;
const RUN_KEY = 'Software\\Microsoft\\Windows\\CurrentVersion\\Run';
/** Texts between that key and the version. */
const MAX_VERSION_DISTANCE = 5;

/** By name first, then by order in the code. */
export function* readings(settings: DotnetSettings, budget: Budget): Generator<Reading> {
  for (const block of settings.blocks) {
    if (budget.isOver()) return;
    const reading = byName(block);
    if (reading !== undefined) yield reading;
  }
  for (const block of settings.blocks) {
    if (budget.isOver()) return;
    const texts = block.fields.flatMap((one) => {
      const text = textOf(one);
      return text === undefined ? [] : [{ text, offset: one.offset }];
    });
    const inAlphabet = byAlphabet(texts);
    for (const found of [...byOrder(texts), ...(inAlphabet === undefined ? [] : [inAlphabet])])
      yield { ...found, block, switches: new Set(), isHostChanged: false };
  }
}

function byName(block: SettingsBlock): Reading | undefined {
  const texts = new Map<Role, string>();
  let offset = 0;
  let isHostChanged = false;
  for (const field of block.fields) {
    const role = ROLES.get(field.field);
    const text = textOf(field) ?? rawTextOf(field);
    if (role === undefined || text === undefined || texts.has(role)) continue;
    texts.set(role, text);
    if (role !== 'host') continue;
    ({ offset } = field);
    isHostChanged = textOf(field) === undefined;
  }
  const isComplete =
    REQUIRED_ROLES.every((role) => texts.has(role)) &&
    CONFIRMING_ROLES.some((role) => texts.has(role));
  return isComplete
    ? { texts, offset, block, switches: switchesOf(block.fields), isHostChanged }
    : undefined;
}

/** A reading without names. */
type OrderedReading = Pick<Reading, 'texts' | 'offset'>;

function* byOrder(texts: readonly LocatedText[]): Generator<OrderedReading> {
  for (let start = 0; start + ORDER.length <= texts.length; start += 1) {
    if (!VERSIONS.has(texts[start]?.text ?? '')) continue;
    const roles = new Map(ORDER.map((role, index) => [role, texts[start + index]?.text ?? '']));
    roles.set('campaign', texts[start - 1]?.text ?? '');
    if (hasExpectedForms(roles)) yield { texts: roles, offset: texts[start + 4]?.offset ?? 0 };
  }
}

/**
 * DR, EXE, H, P, RG, sf, VN, VR, Y. Editions add texts of their own and empty texts between them.
 */
function byAlphabet(all: readonly LocatedText[]): OrderedReading | undefined {
  const texts = all.filter(({ text }) => text !== '');
  const runKey = texts.findIndex(({ text }) => text === RUN_KEY);
  const [before, after] = [texts.slice(0, Math.max(runKey, 0)), texts.slice(runKey + 1)];
  const folder = before.findLastIndex(({ text }) => FOLDERS.test(text));
  const file = before.findIndex(({ text }, index) => index > folder && isProgram(text));
  const version = after.slice(0, MAX_VERSION_DISTANCE).findIndex(({ text }) => VERSIONS.has(text));
  const campaign = after.slice(0, version).find(({ text }) => decodeText(text) !== undefined);
  const host = before[file + 1];
  if (runKey === -1 || folder === -1 || file === -1 || version < 1 || host === undefined)
    return undefined;
  const roles = new Map<Role, string>([
    ['folder', before[folder]?.text ?? ''],
    ['file', before[file]?.text ?? ''],
    ['host', host.text],
    ['port', before.at(-2)?.text ?? ''],
    ['key', before.at(-1)?.text ?? ''],
    ['campaign', campaign?.text ?? ''],
    ['version', after[version]?.text ?? ''],
    ['delimiter', after[version + 1]?.text ?? ''],
  ]);
  return hasExpectedForms(roles) ? { texts: roles, offset: host.offset } : undefined;
}

function isProgram(text: string): boolean {
  return /^[^\\/:*?"<>|]{1,120}\.exe$/i.test(text);
}

/** Host and port are checked when the endpoints are built. */
function hasExpectedForms(texts: TextsByRole): boolean {
  const text = (role: Role) => texts.get(role) ?? '';
  return (
    isProgram(text('file')) &&
    FOLDERS.test(text('folder')) &&
    /^[0-9a-f]{32}$/i.test(text('key')) &&
    decodeText(text('campaign')) !== undefined
  );
}

/** A switch is stored as a boolean or as a text that is converted to one. */
function switchesOf(fields: readonly ConstantStore[]): Set<string> {
  const on = fields.filter(({ value }) => value === 1 || value === 'True' || value === 'true');
  return new Set(on.map(({ field }) => field));
}
