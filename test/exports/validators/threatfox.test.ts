import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { threatfox } from '../../../src/exports/threatfox/threatfox.ts';
import { linesOf, outputsOf } from './outputs.ts';
import { run, temporaryFiles, whyNo } from './tool.ts';

const SCRIPT = join(import.meta.dirname, 'threatfox.py');

const outputs = outputsOf(threatfox).filter(({ options }) => options['flavour'] !== 'json');
const file = temporaryFiles();
const nameOf = (label: string, options: Readonly<Record<string, string>>) =>
  `${label}${options['ipv6'] === '1' ? '.ipv6' : ''}.csv`;

describe('an importer of ThreatFox', { skip: whyNo('python3') }, () => {
  it('reads every row of every case', () => {
    const files = outputs.map(({ label, options, text }) => file(nameOf(label, options), text));
    const { status, output } = run('python3', SCRIPT, ...files);
    assert.equal(status, 0, output);
    assert.deepEqual(
      JSON.parse(output),
      outputs.map(({ text }) => linesOf(text).length),
    );
  });

  it('refuses a row with a column more', () => {
    const [{ text } = { text: '' }] = outputs.filter(({ name }) => name === 'one-report');
    const name = file('wrong.csv', text.replace('"botnet_cc"', '"botnet_cc","x"'));
    assert.notEqual(run('python3', SCRIPT, name).status, 0);
  });
});
