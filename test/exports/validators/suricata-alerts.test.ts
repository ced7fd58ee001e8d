import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { suricata } from '../../../src/exports/suricata/suricata.ts';
import { exportContext, exportedReport, exportText } from '../reports.ts';
import { captureFile, dnsQuery, tcpPacket, udpPacket } from './packets.ts';
import { alertsInSuricata } from './suricata-loader.ts';
import { whyNo } from './tool.ts';

const CLIENT = { host: '10.0.0.5', port: 3000 };
const RESOLVER = { host: '9.9.9.9', port: 53 };
const C2 = { host: '45.1.2.3', port: 4444 };
const NAMES = ['a.evil.com', 'b.evil.com', 'c.evil.com'];

const reports = [`${C2.host}:${C2.port}`, ...NAMES.map((name) => `${name}:443`)].map((c2, index) =>
  exportedReport(index + 1, { c2 }),
);
const fileOf = (file: string) =>
  exportText(suricata, reports, exportContext({ options: { file } }));
const set = fileOf('set');
const rules = /^==> feed\.rules\n([^=]*(?:=(?!=>)[^=]*)*)/.exec(set)?.[1] ?? '';

describe('the rules in Suricata', { skip: whyNo('suricata') }, () => {
  it('alert on TCP and UDP to an address, on its port alone', () => {
    const other = { ...C2, port: 4445 };
    const packets = [
      tcpPacket({ ...CLIENT, host: '10.0.0.1' }, C2),
      udpPacket({ ...CLIENT, host: '10.0.0.2' }, C2, Buffer.from('hello')),
      tcpPacket({ ...CLIENT, host: '10.0.0.3' }, other),
      udpPacket({ ...CLIENT, host: '10.0.0.4' }, other, Buffer.from('hello')),
    ];
    const alerts = alertsInSuricata(
      new Map([['feed.rules', fileOf('rules')]]),
      captureFile(packets),
    );
    assert.deepEqual(alerts.map(({ protocol, source }) => `${protocol} ${source}`).sort(), [
      'TCP 10.0.0.1',
      'UDP 10.0.0.2',
    ]);
  });

  const queries = captureFile(
    [...NAMES, 'innocent.example'].map((name, index) =>
      udpPacket({ ...CLIENT, port: CLIENT.port + index }, RESOLVER, dnsQuery(name, index)),
    ),
  );

  it('alert on every name that a client queries', () => {
    const alerts = alertsInSuricata(new Map([['feed.rules', fileOf('rules')]]), queries);
    assert.equal(new Set(alerts.map(({ sid }) => sid)).size, NAMES.length);
  });

  it('alert on every name that a client queries with the one rule over the dataset', () => {
    const [rule = ''] = /^# alert dns .*$/m.exec(rules) ?? [];
    const files = new Map([
      ['feed.rules', `${rule.slice(2)}\n`],
      ['c2-domains.lst', fileOf('domains')],
    ]);
    assert.equal(alertsInSuricata(files, queries).length, NAMES.length);
  });
});
