import { formatBytes } from '../domain/format-bytes.ts';
import type { Environment } from './environment.ts';
import type { Setting } from './settings.ts';

/** A setting as this process uses it. */
export interface SettingInForce {
  readonly name: string;
  /** `undefined` for a secret, and for a default that only `purpose` describes. */
  readonly value: string | undefined;
  readonly source: SettingSource;
  readonly isSecret: boolean;
  readonly purpose: string;
}

export type SettingSource = 'environment' | 'config file' | 'secret file' | 'default';

interface Sources {
  readonly environment: Environment;
  /** The texts of the settings from all sources, by name. */
  readonly texts: Environment;
}

/** The setting with its value in force. */
export function inForce(
  setting: Setting,
  value: unknown,
  { environment, texts }: Sources,
): SettingInForce {
  const { name, hidden: isSecret = false } = setting;
  return {
    name,
    value: isSecret ? undefined : textOf(value),
    source: sourceOf(name, environment, texts),
    isSecret,
    purpose: purposeOf(setting),
  };
}

/** A row of the table in `docs/operations/configuration.md`, in Markdown. */
export function describeSetting(setting: Setting) {
  return {
    name: setting.name,
    default: setting.byDefault ?? defaultText(setting),
    purpose: markedText(setting),
  };
}

/** What a setting is for, with its default if that is not a constant. */
export function purposeOf(setting: Setting): string {
  const { byDefault } = setting;
  return `${markedText(setting)}${byDefault === undefined ? '' : `; by default ${byDefault}`}`;
}

function markedText({ text, file }: Setting): string {
  return file ? `${text} (also \`_FILE\`)` : text;
}

function defaultText({ name, default: value }: Setting): string {
  const code = `\`${textOf(value)}\``;
  return name.endsWith('_BYTES') ? `${code} (${formatBytes(Number(value))})` : code;
}

/** The text that the variable would have. */
function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'boolean') return value ? '1' : '0';
  return String(value) || undefined;
}

function sourceOf(name: string, environment: Environment, texts: Environment): SettingSource {
  if (texts[name] === undefined) return 'default';
  if (environment[name]) return 'environment';
  return texts[`${name}_FILE`] === undefined ? 'config file' : 'secret file';
}
