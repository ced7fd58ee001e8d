import type { z } from 'zod';
import type { Environment } from './environment.ts';
import { CLIENT_SETTINGS, SETTINGS, type Setting, type SettingTable } from './settings.ts';

/** The values of a table, under the keys of the table. */
export type ValuesOf<T> = {
  readonly [K in keyof T]: T[K] extends { readonly type: z.ZodType<infer V> }
    ? V | (T[K] extends { readonly default: unknown } ? never : undefined)
    : ValuesOf<T[K]>;
};

/** Parses the texts of the variables. Adds a line to `problems` for each that is not valid. */
export function parseSettings<T extends SettingTable>(
  table: T,
  texts: Environment,
  problems: string[],
): ValuesOf<T> {
  const values = Object.entries(table).map(([key, entry]) => [
    key,
    isSetting(entry) ? parse(entry, texts, problems) : parseSettings(entry, texts, problems),
  ]);
  return Object.fromEntries(values);
}

function parse(setting: Setting, texts: Environment, problems: string[]): unknown {
  const text = texts[setting.name];
  if (text === undefined) return setting.default;
  const { data, error } = setting.type.safeParse(text);
  problems.push(...(error?.issues ?? []).map(({ message }) => `${setting.name} ${message}`));
  return data;
}

/** The rows of a table. */
export function rowsOf(table: SettingTable): readonly Setting[] {
  return Object.values(table).flatMap((entry) => (isSetting(entry) ? [entry] : rowsOf(entry)));
}

/** The rows of a table with their values. */
export function withValues(
  table: SettingTable,
  values: Readonly<Record<string, unknown>>,
): readonly (readonly [Setting, unknown])[] {
  return Object.entries(table).flatMap(([key, entry]) =>
    isSetting(entry)
      ? [[entry, values[key]] as const]
      : withValues(entry, values[key] as Readonly<Record<string, unknown>>),
  );
}

/** The settings that may also be given as `<name>_FILE`, the name of a file with the value. */
export function fileSettings(table: SettingTable): readonly string[] {
  return rowsOf(table).flatMap(({ name, file }) => (file ? [name] : []));
}

/** The variables with our prefix that no setting has, such as a mistyped one. */
export function unknownSettings(texts: Environment): readonly string[] {
  const all = { ...SETTINGS, ...CLIENT_SETTINGS };
  const known = new Set([
    ...rowsOf(all).map(({ name }) => name),
    ...fileSettings(all).map((name) => `${name}_FILE`),
  ]);
  const isUnknown = (name: string) => name.startsWith('RAPSHEET_') && !known.has(name);
  return Object.keys(texts).filter(isUnknown).sort();
}

function isSetting(entry: Setting | SettingTable): entry is Setting {
  return typeof entry.name === 'string';
}
