import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nftables } from '../../../src/exports/nftables.ts';
import { outputsOf } from './outputs.ts';
import { run, temporaryFiles, whyNo } from './tool.ts';

const file = temporaryFiles();

/** In a network of its own: the filters of this machine are not touched. */
const inNetwork = (...command: readonly string[]) => run('unshare', '-rn', ...command);

function whyNotHere(): string | false {
  const missing = whyNo('nft') || whyNo('unshare');
  if (missing !== false) return missing;
  const { status } = inNetwork('nft', 'list', 'ruleset');
  return status === 0 ? false : 'a network namespace cannot be created';
}

interface LoadedSet {
  readonly set?: { readonly name: string; readonly elem?: readonly unknown[] };
}

/** The elements that the kernel has after the files were loaded one after the other. */
function loadedElements(...files: readonly string[]): readonly string[] {
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

function writtenElements(text: string): readonly string[] {
  return [...text.matchAll(/^ {2}(\S.*?),?$/gm)].map(([, element = '']) => element).sort();
}

describe('nft', { skip: whyNotHere() }, () => {
  const outputs = outputsOf(nftables);

  for (const { label, text } of outputs) {
    it(`accepts the sets of ${label}`, () => {
      const { status, output } = inNetwork('nft', '-c', '-f', file(`${label}.nft`, text));
      assert.deepEqual({ status, output }, { status: 0, output: '' });
    });
  }

  it('has exactly the listed elements after loading twice', () => {
    for (const { label, text } of outputs) {
      const name = file(`${label}.nft`, text);
      assert.deepEqual(loadedElements(name, name), writtenElements(text), label);
    }
  });

  it('replaces the elements of an earlier list', () => {
    const [empty, mixed] = ['empty', 'mixed'].map((name) =>
      file(`${name}.nft`, outputs.find(({ label }) => label === name)?.text ?? ''),
    );
    assert.deepEqual(loadedElements(mixed ?? '', empty ?? ''), []);
  });

  it('refuses a list that was cut off within a statement', () => {
    const { text = '' } = outputs.find(({ label }) => label === 'mixed') ?? {};
    const name = file('cut.nft', text.slice(0, text.length / 2));
    assert.notEqual(inNetwork('nft', '-c', '-f', name).status, 0);
  });
});
