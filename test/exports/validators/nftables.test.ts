import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nftables } from '../../../src/exports/nftables.ts';
import { inNetwork, loadedElements, whyNoSets } from './nftables-loader.ts';
import { outputsOf } from './outputs.ts';
import { temporaryFiles } from './tool.ts';

const file = temporaryFiles();

function writtenElements(text: string): readonly string[] {
  return [...text.matchAll(/^ {2}(\S.*?),?$/gm)].map(([, element = '']) => element).sort();
}

describe('nft', { skip: whyNoSets() }, () => {
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
