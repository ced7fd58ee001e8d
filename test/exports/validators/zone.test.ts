import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rpz } from '../../../src/exports/rpz.ts';
import { linesOf, outputsOf } from './outputs.ts';
import { run, temporaryFiles, whyNo } from './tool.ts';

/** The longest name of a zone that the lists allow for. */
const ZONE = `${'z'.repeat(50)}.rapsheet.rp`;
const file = temporaryFiles();

describe('named-checkzone', { skip: whyNo('named-checkzone') }, () => {
  for (const { label, text } of outputsOf(rpz)) {
    it(`loads the policy zone of ${label} without ignoring a record`, () => {
      assert.equal(ZONE.length, 62);
      const { status, output } = run('named-checkzone', ZONE, file(`${label}.zone`, text));
      assert.equal(status, 0, output);
      assert.match(output, /^OK$/m);
      assert.doesNotMatch(output, /ignor|warning|error/i);
    });
  }

  it('reads exactly the records of the list', () => {
    for (const { label, text } of outputsOf(rpz)) {
      const { output } = run('named-checkzone', '-D', ZONE, file(`${label}.zone`, text));
      const owners = [...output.matchAll(/^(\S+)\s+300\s+IN\s+CNAME\s+\.$/gm)];
      const records = linesOf(text, ';').filter((line) => line.endsWith(' CNAME .'));
      assert.deepEqual(
        owners.map(([, owner = '']) => owner.slice(0, -ZONE.length - 2)).sort(),
        records.map((line) => line.slice(0, -' CNAME .'.length)).sort(),
        label,
      );
    }
  });
});

describe('unbound-checkconf', { skip: whyNo('unbound-checkconf') }, () => {
  for (const { label, text } of outputsOf(rpz)) {
    it(`accepts the policy zone of ${label}`, () => {
      const zone = file(`${label}.zone`, text);
      const configuration = `server:
  directory: ""
  chroot: ""
  username: ""
  use-syslog: no
  module-config: "respip validator iterator"
rpz:
  name: "${ZONE}"
  zonefile: "${zone}"
`;
      const { status, output } = run('unbound-checkconf', file(`${label}.conf`, configuration));
      assert.equal(status, 0, output);
      assert.match(output, /^unbound-checkconf: no errors in [^\n]*\n$/);
    });
  }
});
