import { readFileSync } from 'node:fs';

/**
 * Ordinary software whose files must give no family: Windows libraries and debuggers, because they
 * name the functions that malware uses; clients of chat services, because they name the hosts;
 * bundled scripts, because they contain encoded data. Versions are pinned, so that two runs see the
 * same files.
 */
interface PackageList {
  readonly packages: Readonly<Record<Registry, Readonly<Record<string, string>>>>;
  /** Small packages of several kinds, for the short form. */
  readonly shortList: readonly string[];
}

export type Registry = 'Debian' | 'PyPI' | 'npm' | 'Maven';

export interface Package {
  readonly name: string;
  readonly version: string;
}

const LIST = JSON.parse(
  readFileSync(new URL('packages.json', import.meta.url), 'utf8'),
) as PackageList;

export function packagesOf(registry: Registry, isShort: boolean): readonly Package[] {
  return Object.entries(LIST.packages[registry])
    .filter(([name]) => !isShort || LIST.shortList.includes(name))
    .map(([name, version]) => ({ name, version }));
}
