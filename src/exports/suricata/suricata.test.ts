import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exportContext, exportedReport, exportText } from '../../../test/exports/reports.ts';
import type { ExportContext } from '../exporter.ts';
import { suricata } from './suricata.ts';

function linesOf(
  reports: Parameters<typeof exportText>[1],
  context: Partial<ExportContext> = {},
): readonly string[] {
  const text = exportText(suricata, reports, exportContext(context));
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('a Suricata rule', () => {
  it('has the number of the first report of its C2, and its revision', () => {
    const c2 = '45.155.205.7:4444';
    const lines = linesOf([
      exportedReport(7, { c2, createdSequence: 7, sequence: 9 }),
      exportedReport(8, { c2 }),
    ]);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', / sid:90000007; rev:3; /);
  });

  it('keeps its number if the first report is no longer listed and comes back', () => {
    const c2 = '45.155.205.7:4444';
    const other = exportedReport(8, { c2 });
    const [meanwhile] = linesOf([exportedReport(7, { c2, status: 'rejected' }), other]);
    assert.match(meanwhile ?? '', / sid:90000008; /);
    const [after] = linesOf([exportedReport(7, { c2 }), other]);
    assert.match(after ?? '', / sid:90000007; /);
  });

  it('has an IPv6 address in brackets', () => {
    const [line] = linesOf([exportedReport(1, { c2: '[2a0a:1::7]:443' })]);
    assert.match(
      line ?? '',
      /^alert ip \$HOME_NET any -> \[2a0a:1::7\] 443 \(msg:"[^"]* 2a0a:1::7 port 443";/,
    );
  });

  it('has only harmless characters of a name', () => {
    const name = '"; sid:1;) alert ip any any -> any any (msg:"é\n\\';
    const [line, ...others] = linesOf([exportedReport(1, { c2: '45.155.205.7:4444', name })]);
    assert.equal(others.length, 0);
    assert.match(line ?? '', /msg:"Rapsheet ply C2 __ sid:1_\) alert ip any any -_ any any \( 45/);
  });

  it('has a message of at most 120 characters', () => {
    const host = `${'a'.repeat(63)}.${'b'.repeat(63)}.evil.com`;
    const [line] = linesOf([exportedReport(1, { c2: `${host}:443`, name: 'x'.repeat(200) })]);
    assert.equal(/msg:"([^"]*)"/.exec(line ?? '')?.[1]?.length, 120);
    assert.ok(line?.includes(`content:"${host}"; nocase; bsize:${host.length};`));
  });

  it('is absent if its number would not fit', () => {
    const c2 = '45.155.205.7:4444';
    const context = { firstRuleNumber: 4_294_967_290 };
    assert.equal(linesOf([exportedReport(5, { c2 })], context).length, 1);
    assert.equal(linesOf([exportedReport(6, { c2 })], context).length, 0);
  });

  it('has no reference if the address of the server has other characters', () => {
    const context = { baseUrl: 'https://x.example/a;b' };
    const [line] = linesOf([exportedReport(1, { c2: '45.155.205.7:4444' })], context);
    assert.ok(line !== undefined && !line.includes('reference:'));
  });

  it('for a shared address has a port, and the lists have no such address', () => {
    const reports = [exportedReport(1, { c2: '11.22.33.44:4444' })];
    assert.equal(linesOf(reports).length, 1);
    assert.deepEqual(linesOf(reports, { options: { file: 'addresses' } }), ['192.0.2.0']);
    assert.deepEqual(linesOf(reports, { options: { file: 'reputation' } }), []);
  });
});

describe('the reputation of an address', () => {
  it('is the highest of its reports, at least 1', () => {
    const reports = [
      exportedReport(1, { c2: '45.155.205.7:1', confidence: 10 }),
      exportedReport(2, { c2: '45.155.205.7:2', confidence: 100 }),
      exportedReport(3, { c2: '45.155.205.7:3', confidence: 100, status: 'expired' }),
      exportedReport(4, { c2: '45.155.205.8:1', confidence: 0 }),
      exportedReport(5, { c2: '45.155.205.9:1', confidence: 50 }),
    ];
    assert.deepEqual(linesOf(reports, { options: { file: 'reputation' } }), [
      '45.155.205.7,57,127',
      '45.155.205.8,57,1',
      '45.155.205.9,57,64',
    ]);
  });
});
