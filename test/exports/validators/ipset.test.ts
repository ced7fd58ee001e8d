import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ipset } from '../../../src/exports/ipset.ts';
import { exportContext, exportedReport, exportText } from '../reports.ts';
import { inNetwork } from './nftables-loader.ts';
import { outputsOf } from './outputs.ts';
import { temporaryFiles, whyNo } from './tool.ts';

const file = temporaryFiles();

/** Why sets cannot be loaded here, if so. */
function whyNoSets(): string | false {
  const missing = whyNo('ipset') || whyNo('unshare');
  if (missing !== false) return missing;
  const { status } = inNetwork('sh', '-c', 'ipset create a hash:ip,port && ipset list');
  return status === 0 ? false : 'a network namespace with sets cannot be created';
}

/** The entries that the kernel has after the files were loaded one after the other. */
function loadedEntries(...files: readonly string[]): readonly string[] {
  const loads = files.map((name) => `ipset restore -f '${name}'`).join(' && ');
  const { status, output } = inNetwork('sh', '-c', `${loads} && ipset save`);
  assert.equal(status, 0, output);
  return [...output.matchAll(/^add (\S+ \S+)$/gm)].map(([, entry = '']) => entry).sort();
}

function writtenEntries(text: string): readonly string[] {
  return [...text.matchAll(/^add (\S+)-new (\S+)$/gm)]
    .map(([, set, entry]) => `${set} ${entry}`)
    .sort();
}

describe('ipset', { skip: whyNoSets() }, () => {
  const outputs = outputsOf(ipset);

  it('has exactly the listed entries after loading twice', () => {
    for (const { label, text } of outputs) {
      const name = file(`${label}.ipset`, text);
      assert.deepEqual(loadedEntries(name, name), writtenEntries(text), label);
    }
  });

  it('replaces the entries of an earlier list', () => {
    const [empty, mixed] = ['empty', 'mixed'].map((name) =>
      file(`${name}.ipset`, outputs.find(({ label }) => label === name)?.text ?? ''),
    );
    assert.deepEqual(loadedEntries(mixed ?? '', empty ?? ''), []);
  });

  it('keeps an earlier list if the next is cut off, and loads the one after it', () => {
    const list = (c2: string) => exportText(ipset, [exportedReport(1, { c2 })], exportContext());
    const first = file('first.ipset', list('45.1.2.3:1'));
    const whole = list('45.1.2.4:2');
    const cut = file('cut.ipset', whole.slice(0, whole.indexOf('swap ')));
    const stored = ['c2-ply-v4 45.1.2.3,tcp:1', 'c2-ply-v4 45.1.2.3,udp:1'];
    const kept = loadedEntries(first, cut).filter((entry) => !entry.includes('-new '));
    assert.deepEqual(kept, stored);
    const next = loadedEntries(first, cut, file('whole.ipset', whole));
    assert.deepEqual(next, ['c2-ply-v4 45.1.2.4,tcp:2', 'c2-ply-v4 45.1.2.4,udp:2']);
  });

  it('accepts the sets of a feed with a long name', () => {
    const context = exportContext({ feed: 'a-service-with-a-name-of-more-than-thirty-one' });
    const text = exportText(ipset, [exportedReport(1, { c2: '45.1.2.3:1' })], context);
    assert.equal(loadedEntries(file('long.ipset', text)).length, 2);
  });
});
