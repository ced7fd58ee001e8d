import type { UserString } from '../../formats/dotnet/heaps.ts';
import type { ConstantStore } from '../../formats/dotnet/stack-values.ts';
import type {
  DotnetSettings,
  LocatedText,
  SettingsBlock,
} from '../dotnet-settings/dotnet-settings.ts';
import { splitList } from '../endpoints/addresses.ts';
import { parseCheckedHostPort } from '../endpoints/hosts.ts';
import type { Endpoint, Extraction, Recognition } from '../extractor.ts';
import { listOf, otherSettings } from '../setting-texts.ts';

/** A folder that the program searches: a literal of the family. */
export const ANCHOR = 'Yandex\\YaAddon';

export const MAX_BLOCKS = 2_000;

/** What a constructor or, without fields, a group of literals holds. */
export interface Candidate {
  readonly block: Pick<SettingsBlock, 'fields'>;
  readonly found: Extraction | Recognition;
}

/** Whether other code replaces the address, which is at the offset of the settings. */
export function isReplaced(
  { fields }: Candidate['block'],
  { offset }: Candidate['found'],
  { fieldUses }: DotnetSettings,
): boolean {
  return fields.some((field) => field.offset === offset && fieldUses.isReplaced(field));
}

export function hasOwnText(settings: DotnetSettings): boolean {
  return authorizationIn(settings.strings) !== undefined || hasAnchor(settings);
}

export function hasAnchor({ strings }: DotnetSettings): boolean {
  return strings.some(({ text }) => text === ANCHOR);
}

export function textOf({ result, offset }: ConstantStore): LocatedText[] {
  return typeof result === 'string' ? [{ text: result, offset }] : [];
}

interface Settings {
  readonly endpoints: readonly Endpoint[];
  readonly version?: string | undefined;
  readonly campaign: string | undefined;
  readonly message?: string | undefined;
  readonly key?: string | undefined;
  readonly offset: number;
}

export function describe({ strings }: DotnetSettings, found: Settings): Extraction {
  const { endpoints, version, campaign, message, key, offset } = found;
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

/** The value of the WCF header that the server requires: literals for name, namespace and value. */
export function authorizationIn(strings: readonly UserString[]): string | undefined {
  const name = strings.findIndex(({ text }) => text === 'Authorization');
  if (name === -1) return undefined;
  return strings.slice(name + 1, name + 4).find(({ text }) => /^[0-9a-f]{32}$/.test(text))?.text;
}

export function endpointsIn(text: string): Endpoint[] {
  return splitList(text, '|').flatMap((part): Endpoint[] => {
    const address = part.replace(/^(?:net\.)?tcp:\/\//, '').replace(/\/$/, '');
    const hostPort = parseCheckedHostPort(address);
    return hostPort === undefined ? [] : [{ protocol: 'tcp', usage: 'c2', ...hostPort }];
  });
}
