import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exportContext, exportedReport, exportText } from '../../test/exports/reports.ts';
import { rpz } from './rpz.ts';

describe('a response policy zone', () => {
  it('has a serial of 32 bits that grows with the changes, and is never 0', () => {
    const serialOf = (serial: number) =>
      / SOA \S+ \S+ (\d+) /.exec(exportText(rpz, [], exportContext({ serial })))?.[1];
    assert.equal(serialOf(0), '1');
    assert.equal(serialOf(41), '42');
    assert.equal(serialOf(0xffff_fffe), '4294967295');
    assert.equal(serialOf(0xffff_ffff), '1');
  });

  for (const [host, owner] of [
    ['45.1.2.3', '32.3.2.1.45.rpz-ip'],
    ['[2a01:4f8::7]', '128.7.zz.4f8.2a01.rpz-ip'],
    ['[2a01:4f8::]', '128.zz.4f8.2a01.rpz-ip'],
    ['[2a01:0:0:1::5]', '128.5.zz.1.0.0.2a01.rpz-ip'],
    ['[2a01:4f8:0:1:2:3:4:5]', '128.5.4.3.2.1.0.4f8.2a01.rpz-ip'],
  ] as const)
    it(`writes ${host} as ${owner}`, () => {
      const text = exportText(rpz, [exportedReport(1, { c2: `${host}:80` })], exportContext());
      assert.ok(text.includes(`\n${owner} CNAME .\n`), text);
    });
});
