import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dnsmasq } from '../../../src/exports/dnsmasq.ts';
import { outputsOf } from './outputs.ts';
import { run, temporaryFiles, whyNo } from './tool.ts';

const file = temporaryFiles();

describe('the settings for dnsmasq', { skip: whyNo('dnsmasq') }, () => {
  for (const { label, text } of outputsOf(dnsmasq))
    it(`of ${label} are accepted`, () => {
      const name = file(`${label}.conf`, text);
      const { status, output } = run('dnsmasq', '--test', `--conf-file=${name}`);
      assert.equal(status, 0, output);
    });

  it('are refused with another value', () => {
    const name = file('wrong.conf', 'address=/evil.example/x y\n');
    assert.notEqual(run('dnsmasq', '--test', `--conf-file=${name}`).status, 0);
  });
});
