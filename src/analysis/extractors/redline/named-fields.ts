import type { DotnetFile } from '../../formats/dotnet/file.ts';
import type { LocatedText, SettingsBlock } from '../dotnet-settings/dotnet-settings.ts';

/** RedLine's settings read by the names of their fields. */
export interface NamedFields {
  readonly ip: LocatedText;
  /** Whether later code of the constructor changes the address. */
  readonly isChangedLater: boolean;
  readonly id: string;
  readonly message: string;
  /** `undefined` if the type declares no such field. */
  readonly key: string | undefined;
  readonly version?: string | undefined;
}

const NAMES = ['IP', 'ID', 'Message', 'Key'] as const;
/** Builds with plain settings may lack the key. */
const REQUIRED_NAMES = ['IP', 'ID', 'Message'] as const;

export type NamesByType = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The settings fields that each type declares. One pass, because a file may have thousands of
 * types.
 */
export function namesByType({ fields }: DotnetFile): NamesByType {
  const wanted = new Set<string>(NAMES);
  const types = new Map<string, Set<string>>();
  for (const { type, name } of fields) {
    if (!wanted.has(name)) continue;
    const names = types.get(type) ?? new Set();
    types.set(type, names.add(name));
  }
  return types;
}

/** Empty fields need only be declared: `string.Empty` is not a constant of the program. */
export function fieldsByName(
  { fields }: SettingsBlock,
  declared: NamesByType,
): NamedFields | undefined {
  const ip = fields.find(({ field, result }) => field === 'IP' && typeof result === 'string');
  if (ip === undefined) return undefined;
  const results = new Map(
    fields.filter(({ type }) => type === ip.type).map(({ field, result }) => [field, result]),
  );
  if (!REQUIRED_NAMES.every((name) => declared.get(ip.type)?.has(name))) return undefined;
  const text = (name: (typeof NAMES)[number]) => {
    const value = results.get(name);
    return typeof value === 'string' ? value : '';
  };
  const version = results.get('Version');
  return {
    ip: { text: text('IP'), offset: ip.offset },
    isChangedLater: ip.isChangedLater,
    id: text('ID'),
    message: text('Message'),
    key: declared.get(ip.type)?.has('Key') ? text('Key') : undefined,
    version: typeof version === 'number' ? version.toString() : undefined,
  };
}
