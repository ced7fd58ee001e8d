import { hash } from 'node:crypto';
import type { Budget } from '../formats/format.ts';
import { enabledTags, pickTags } from './capability-tags.ts';
import {
  type DotnetSettings,
  type SettingsBlock,
  settingsOf,
} from './dotnet-settings/dotnet-settings.ts';
import { firstUsed } from './dotnet-settings/field-uses.ts';
import { hasLiteral, literals } from './dotnet-settings/metadata-probes.ts';
import { eachHostAndPort } from './endpoints/addresses.ts';
import type { Extraction, Extractor, Recognition } from './extractor.ts';
import { listOf, otherSettings } from './setting-texts.ts';

/**
 * XenoRAT keeps plain settings in static fields of the class that has the entry point. Its static
 * constructor sets them in this order, and the builder replaces the values in place:
 *
 * | field | type | value |
 * |---|---|---|
 * | ServerIp | text | host |
 * | ServerPort | number | |
 * | EncryptionKey | 32 bytes | SHA-256 of the password |
 * | delay | number | milliseconds before the first connection |
 * | mutex_string | text | |
 * | DoStartup | number | 1, or 2222 if it does not start with Windows |
 * | Install_path | text | `appdata` or `temp`, the variable of the folder; `nothingset` |
 * | startup_name | text | name of the scheduled task or of the Run value; `nothingset` |
 *
 * The key encrypts the traffic (AES-256-CBC, IV of zeros), not the settings. Obfuscators change the
 * names of fields, so these are not used. Instead, the types and their order have to be exactly
 * these, the numbers and words have to be those that the builder writes, and the code has to
 * contain `nothingset`, which it compares the last two fields with.
 *
 * Reference: https://github.com/moom825/xeno-rat (open source).
 */
const UNSET = 'nothingset';
const OWN_LITERALS = literals(UNSET);
const KEY_BYTES = 32;
const STARTS_WITH_WINDOWS = 1;
const STARTUP_VALUES: readonly unknown[] = [STARTS_WITH_WINDOWS, 2222];
const INSTALL_VALUES: readonly unknown[] = [UNSET, 'appdata', 'temp'];
const MAX_PORT = 65_535;
/** The values of the project's source, which the builder replaces. */
const TEMPLATE = { host: 'localhost', port: 1234, mutex: 'testing 123123' } as const;
const MAX_BLOCKS = 2_000;
const MAX_FIELDS = 64;

export const xenorat: Extractor = {
  family: 'xenorat',
  category: 'RAT',
  tags: pickTags('SETTING_INSTALL'),
  pages: {
    xenorat: {
      name: 'XenoRAT',
      reads: 'host and port, mutex, delay, install folder, startup name, digest of the key',
      versions: 'all published versions, with or without names of fields; template',
      proof:
        'eight consecutive fields with the types, the key size and the fixed values that the builder writes, and the literal that the code compares them with',
      notCovered:
        'packed builds; encrypted literals; clients with more or fewer settings between these fields',
      references: ['https://github.com/moom825/xeno-rat'],
    },
  },

  matches: (subject) => hasLiteral(subject, OWN_LITERALS),

  extract(subject, budget) {
    const settings = settingsOf(subject);
    const found = settings && firstUsed(candidates(settings, budget), settings);
    if (found === undefined) return undefined;
    return isTemplate(found) ? unbuilt(found) : extraction(found);
  },
};

function* candidates(settings: DotnetSettings, budget: Budget): Generator<XenoSettings> {
  for (const block of settings.blocks.slice(0, MAX_BLOCKS)) {
    if (budget.isOver()) return;
    const found = block.kind === 'cctor' ? settingsIn(block) : undefined;
    const server = found?.fields.slice(0, 2) ?? [];
    if (found !== undefined && !server.some((one) => settings.fieldUses.isReplaced(one)))
      yield found;
  }
}

interface XenoSettings {
  readonly host: string;
  readonly port: number;
  readonly key: Buffer;
  readonly delayMs: number;
  readonly mutex: string;
  readonly isAutostart: boolean;
  readonly folderVariable: string;
  readonly startupName: string;
  readonly offset: number;
  readonly block: SettingsBlock;
  /** The eight fields. */
  readonly fields: SettingsBlock['fields'];
}

function settingsIn(block: SettingsBlock): XenoSettings | undefined {
  const { fields } = block;
  const last = Math.min(fields.length, MAX_FIELDS) - 8;
  for (let start = 0; start <= last; start += 1) {
    const group = fields.slice(start, start + 8);
    const offset = group[0]?.offset ?? 0;
    // A value that passed through a call is no literal of the builder.
    if (group.some(({ calls, isChangedLater }) => calls.length > 0 || isChangedLater)) continue;
    const found = parseValues(group.map(({ value }) => value));
    if (found !== undefined) return { ...found, offset, block, fields: group };
  }
  return undefined;
}

function parseValues(
  values: readonly unknown[],
): Omit<XenoSettings, 'offset' | 'block' | 'fields'> | undefined {
  const [host, port, key, delayMs, mutex, startup, folderVariable, startupName] = values;
  if (typeof host !== 'string' || host === '' || !isNumber(port, 1, MAX_PORT)) return undefined;
  if (!Buffer.isBuffer(key) || key.length !== KEY_BYTES || !isNumber(delayMs, 0)) return undefined;
  // In a truncated file the array has no data.
  if (key.every((byte) => byte === 0)) return undefined;
  if (typeof mutex !== 'string' || typeof startupName !== 'string') return undefined;
  if (!STARTUP_VALUES.includes(startup) || !INSTALL_VALUES.includes(folderVariable))
    return undefined;
  const isAutostart = startup === STARTS_WITH_WINDOWS;
  // The builder writes a name only for a program that starts with Windows.
  if (!isAutostart && startupName !== UNSET) return undefined;
  return {
    ...{ host, port, key, delayMs, mutex, isAutostart, startupName },
    folderVariable: String(folderVariable),
  };
}

function isNumber(value: unknown, min: number, max = Number.MAX_SAFE_INTEGER): value is number {
  return typeof value === 'number' && value >= min && value <= max;
}

function isTemplate({ host, port, mutex, key }: XenoSettings): boolean {
  return (
    host === TEMPLATE.host &&
    port === TEMPLATE.port &&
    mutex === TEMPLATE.mutex &&
    key.every((byte, index) => byte === index)
  );
}

function unbuilt({ offset }: XenoSettings): Recognition {
  return { unread: 'template that was never built', offset };
}

function extraction(found: XenoSettings): Extraction {
  const { host, port, folderVariable, startupName, isAutostart } = found;
  const isInstalled = folderVariable !== UNSET;
  return {
    endpoints: eachHostAndPort([host], [port]),
    mutex: listOf(found.mutex),
    other: otherSettings({
      'Install Folder': isInstalled ? `%${folderVariable}%\\XenoManager` : undefined,
      'Startup Key': startupName === UNSET ? undefined : startupName,
      'Run On Startup': String(isAutostart),
      'Connect Delay': String(found.delayMs),
      'Key SHA-256': hash('sha256', found.key),
    }),
    capabilities: enabledTags({ SETTING_INSTALL: isInstalled || isAutostart }),
    offset: found.offset,
  };
}
