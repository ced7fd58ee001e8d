import { parseDotnet } from '../../formats/dotnet/file.ts';
import { parsePe } from '../../formats/pe/pe.ts';
import { Reader } from '../../reader.ts';
import type { Subject } from '../../subject.ts';
import { enabledTags, pickTags } from '../capability-tags.ts';
import { settingsOf } from '../dotnet-settings/dotnet-settings.ts';
import { hasName, isDotnet } from '../dotnet-settings/metadata-probes.ts';
import type { Endpoint, Extraction, Extractor } from '../extractor.ts';
import { listOf, otherSettings } from '../setting-texts.ts';
import { decryptResource, MAX_RESOURCE_BYTES } from './resource.ts';
import type { Value } from './values.ts';

/**
 * NanoCore keeps its settings in the PE resource RCDATA 1 or in the embedded resource `Data.bin`,
 * encrypted (see `resource.ts`). Among the decrypted values are pairs of a name and its value:
 *
 * | name | value |
 * |---|---|
 * | PrimaryConnectionHost, BackupConnectionHost (oldest: HOST) | string |
 * | ConnectionPort (oldest: PORT) | number |
 * | Version, Mutex, DefaultGroup (oldest: GROUP) | string |
 * | RunOnStartup, BypassUserAccountControl, SetCriticalProcess, KeyboardLogging | bool |
 *
 * Proof: the padding, the uncompressed size, a known type for every value up to the last byte, and
 * the names.
 *
 * Reference: https://github.com/nict-csl/NanoCoreRAT-Analysis
 */
const MAX_RESOURCES = 16;
const MIN_RESOURCE_BYTES = 64;
const MIN_NAMES = 5;

export const nanocore: Extractor = {
  family: 'nanocore',
  pages: {
    nanocore: {
      name: 'NanoCore',
      reads: 'hosts, port, version, group, mutex, build time, delays, name servers, switches',
      versions:
        '1.0 and 1.1 (key in the resource or fixed), 1.2 (key wrapped with the GUID of the assembly)',
      proof: 'padding, the unpacked size, and values of known types up to the last byte',
      notCovered: 'packed programs; the content of plugins',
      references: ['https://github.com/nict-csl/NanoCoreRAT-Analysis'],
    },
  },
  category: 'RAT',
  tags: pickTags(
    'SETTING_INSTALL',
    'SETTING_CRITICAL_PROCESS',
    'SETTING_KEYLOGGER',
    'SETTING_UAC_BYPASS',
  ),

  matches: (subject) => isDotnet(subject) && hasName(subject, 'DESCryptoServiceProvider', 'DES'),

  extract(subject, budget) {
    for (const resource of resourcesOf(subject)) {
      if (budget.isOver()) return undefined;
      const values = decryptResource(resource.bytes, subject.as(parseDotnet), budget);
      const found = values && extraction(values, resource.offset);
      if (found !== undefined) return found;
    }
    return undefined;
  },
};

interface Resource {
  readonly bytes: Buffer;
  readonly offset: number;
}

function resourcesOf(subject: Subject): Resource[] {
  const reader = new Reader(subject.bytes);
  const native = (subject.as(parsePe)?.resources ?? [])
    .filter(({ type }) => type === 'RCDATA')
    .flatMap(({ offset, size }) => {
      const bytes = reader.slice(offset, size);
      return bytes === undefined ? [] : [{ bytes, offset }];
    });
  const embedded = settingsOf(subject)?.resources ?? [];
  return [...native, ...embedded]
    .filter(({ bytes }) => bytes.length >= MIN_RESOURCE_BYTES && bytes.length <= MAX_RESOURCE_BYTES)
    .slice(0, MAX_RESOURCES);
}

/** Names of 1.1 and 1.2, then those of the oldest versions. */
const NAMES: readonly string[] = [
  ...['BuildTime', 'Version', 'Mutex', 'DefaultGroup', 'PrimaryConnectionHost'],
  ...['BackupConnectionHost', 'ConnectionPort', 'RunOnStartup', 'RequestElevation'],
  ...['BypassUserAccountControl', 'ClearZoneIdentifier', 'ClearAccessControl'],
  ...['SetCriticalProcess', 'PreventSystemSleep', 'ActivateAwayMode', 'EnableDebugMode'],
  ...['RunDelay', 'ConnectDelay', 'RestartDelay', 'KeyboardLogging', 'UseCustomDnsServer'],
  ...['PrimaryDnsServer', 'BackupDnsServer'],
  ...['HOST', 'PORT', 'GROUP', 'DELAY', 'OFFLINE_KEYLOGGING'],
];

/**
 * Maps each name to the value after it. Values of plugins are other strings. The value is skipped:
 * a group may have the name of a setting.
 */
function pairsOf(values: readonly Value[]): ReadonlyMap<string, Value> {
  const names = new Set(NAMES);
  const pairs = new Map<string, Value>();
  for (let index = 0; index + 1 < values.length; index += 1) {
    const [name, value] = [values[index], values[index + 1]];
    if (name?.type !== 'string' || !names.has(name.text) || value === undefined) continue;
    pairs.set(name.text, value);
    index += 1;
  }
  return pairs;
}

function extraction(values: readonly Value[], offset: number): Extraction | undefined {
  const pairs = pairsOf(values);
  const text = (...names: readonly string[]) =>
    names.map((name) => pairs.get(name)?.text).find((one) => one !== undefined);
  const port = pairs.get('ConnectionPort') ?? pairs.get('PORT');
  const hosts = ['PrimaryConnectionHost', 'HOST', 'BackupConnectionHost'].flatMap(
    (name) => pairs.get(name) ?? [],
  );
  if (pairs.size < MIN_NAMES || port?.type !== 'number' || hosts.length === 0) return undefined;
  const isOn = (name: string) => pairs.get(name)?.text === 'True';
  return {
    version: listOf(text('Version'))?.[0],
    campaign: listOf(text('DefaultGroup', 'GROUP')),
    mutex: listOf(text('Mutex')),
    endpoints: endpointsOf(hosts, Number(port.text)),
    other: otherSettings({
      'Build Time': text('BuildTime'),
      'Run On Startup': text('RunOnStartup'),
      'Request Elevation': text('RequestElevation'),
      'Bypass UAC': text('BypassUserAccountControl'),
      'Clear Zone Identifier': text('ClearZoneIdentifier'),
      'Critical Process': text('SetCriticalProcess'),
      'Keyboard Logging': text('KeyboardLogging', 'OFFLINE_KEYLOGGING'),
      'Connect Delay': text('ConnectDelay', 'DELAY'),
      'Restart Delay': text('RestartDelay'),
      'Primary DNS': text('PrimaryDnsServer'),
      'Backup DNS': text('BackupDnsServer'),
    }),
    capabilities: enabledTags({
      SETTING_INSTALL: isOn('RunOnStartup'),
      SETTING_CRITICAL_PROCESS: isOn('SetCriticalProcess'),
      SETTING_KEYLOGGER: isOn('KeyboardLogging') || isOn('OFFLINE_KEYLOGGING'),
      SETTING_UAC_BYPASS: isOn('BypassUserAccountControl'),
    }),
    offset,
  };
}

function endpointsOf(hosts: readonly Value[], port: number): Endpoint[] {
  const named = hosts.map(({ text }) => text.trim()).filter((host) => host !== '');
  return [...new Set(named)].map((host) => ({ protocol: 'tcp', usage: 'c2', host, port }));
}
