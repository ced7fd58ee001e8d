import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENTS } from './clients.ts';
import { type Package, packagesOf, type Registry } from './packages.ts';

/** A package in the cache. */
export interface FetchedPackage {
  readonly registry: Registry;
  readonly name: string;
  readonly folder: string;
}

export const REGISTRIES = Object.keys(CLIENTS) as readonly Registry[];
/** A registry whose first packages all fail cannot be reached. */
const MAX_FIRST_FAILURES = 3;
const PROGRESS_STEP = 25;

/**
 * Fetches the packages of a registry that the cache lacks. Packages that cannot be had are skipped
 * by name, and so is a registry that cannot be reached.
 */
export async function fetchPackages(
  registry: Registry,
  cache: string,
  isShort: boolean,
): Promise<readonly FetchedPackage[]> {
  const packages = packagesOf(registry, isShort);
  const folderOf = ({ name, version }: Package) =>
    join(cache, registry, `${name.replaceAll('/', '+')}@${version}`);
  const missing = packages.filter((one) => !existsSync(folderOf(one)));
  await fetchMissing(registry, missing, folderOf);
  return packages
    .filter((one) => existsSync(folderOf(one)))
    .map((one) => ({ registry, name: one.name, folder: folderOf(one) }));
}

async function fetchMissing(
  registry: Registry,
  missing: readonly Package[],
  folderOf: (one: Package) => string,
): Promise<void> {
  const { batch } = CLIENTS[registry];
  const size = Math.min(batch, Math.max(missing.length, 1));
  let failures = 0;
  for (let from = 0; from < missing.length; from += size) {
    const some = missing.slice(from, from + size);
    if (!(await fetchBatch(registry, some, folderOf))) failures += 1;
    if (failures === from / size + 1 && (failures === MAX_FIRST_FAILURES || size > 1)) {
      console.error(`${registry}: skipped, its client fails for every package`);
      return;
    }
    if (from % PROGRESS_STEP === 0)
      console.error(`${registry}: fetched ${from + some.length} of ${missing.length} packages`);
  }
}

/** A package appears in the cache only when it is complete. */
async function fetchBatch(
  registry: Registry,
  packages: readonly Package[],
  folderOf: (one: Package) => string,
): Promise<boolean> {
  const partial = (one: Package) => `${folderOf(one)}.partial`;
  for (const one of packages) {
    rmSync(partial(one), { recursive: true, force: true });
    mkdirSync(partial(one), { recursive: true });
  }
  try {
    await CLIENTS[registry].fetch(packages, partial);
    for (const one of packages) renameSync(partial(one), folderOf(one));
    return true;
  } catch (error) {
    const reason = String(error instanceof Error ? error.message : error).slice(0, 300);
    console.error(`${registry}: skipped ${packages.map(({ name }) => name).join(', ')}: ${reason}`);
    for (const one of packages) rmSync(partial(one), { recursive: true, force: true });
    return false;
  }
}
