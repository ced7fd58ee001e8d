import assert from 'node:assert/strict';
import { run, whyNo } from './tool.ts';

/** In a network of its own: the filters of this machine are not touched. */
export const inNetwork = (...command: readonly string[]) => run('unshare', '-rn', ...command);

/** Why sets cannot be loaded here, if so. */
export function whyNoSets(): string | false {
  const missing = whyNo('nft') || whyNo('unshare');
  if (missing !== false) return missing;
  const { status } = inNetwork('nft', 'list', 'ruleset');
  return status === 0 ? false : 'a network namespace cannot be created';
}

interface LoadedSet {
  readonly set?: { readonly name: string; readonly elem?: readonly unknown[] };
}

/** The elements that the kernel has after the files were loaded one after the other. */
export function loadedElements(...files: readonly string[]): readonly string[] {
  const loads = files.map((name) => `nft -f '${name}'`).join(' && ');
  const { status, output } = inNetwork('sh', '-c', `${loads} && nft -j list ruleset`);
  assert.equal(status, 0, output);
  const loaded: { nftables: readonly LoadedSet[] } = JSON.parse(output);
  return loaded.nftables
    .flatMap(({ set }) => set?.elem ?? [])
    .map((element) =>
      typeof element === 'string'
        ? element
        : (element as { concat: readonly unknown[] }).concat.join(' . '),
    )
    .sort();
}
