import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import { IndicatorHosts } from '../../domain/reports/indicator-hosts.ts';
import type { ExportContext } from '../exporter.ts';
import { lookupValuesOf, withdrawnAttributesOf } from './attributes.ts';
import { dayEventHead, manifestEntry } from './event.ts';
import { misp } from './misp.ts';

const NAMESPACE = '0332d448-4c53-8e37-a35e-294e6e0bf24f';
const SHA256 = 'ab'.repeat(32);

const report: ExportedReport = {
  number: 7,
  id: '01890000-0000-7000-8000-000000000001',
  service: 'ply',
  sequence: 3,
  createdSequence: 3,
  name: 'AsyncRAT',
  tags: ['AsyncRAT', 'two words'],
  c2: { host: '45.7.113.7', port: 4444 },
  sha256: SHA256,
  reportedBy: 'alice',
  reportedAt: '2026-11-16T10:00:00.250Z',
  firstSeenId: '01890000-0000-7000-8000-000000000001',
  reference: 'https://blog.example/post',
  confidence: 80,
  status: 'open',
  statusReason: undefined,
  updatedAt: '2026-11-16T10:00:00.250Z',
  addedAt: '2026-11-16T10:00:00.250Z',
  expiresAt: '2027-11-16T10:00:00.250Z',
  corroboration: 0,
  sightings: 1,
  recurrence: false,
  confirmation: 'unknown',
  rejectionSequence: undefined,
  routedTo: undefined,
  body: '{}',
};

const context: ExportContext = {
  feed: 'ply',
  services: new Map([
    [
      'ply',
      {
        slug: 'ply',
        name: 'Ply',
        confidenceScale: 100,
        hosts: [],
        networks: [],
        createdAt: '2026-01-01T00:00:00.000Z',
      },
    ],
  ]),
  serial: 3,
  changedAt: '2026-11-16T10:00:00.250Z',
  baseUrl: 'https://rapsheet.example',
  namespace: NAMESPACE,
  allowed: [],
  declared: { hosts: [], networks: [] },
  firstRuleNumber: 90_000_000,
  options: {},
};

function eventOf(...reports: readonly ExportedReport[]) {
  const writer = misp.open(context);
  const texts = [writer.start(), ...reports.map((one) => writer.report(one))];
  return JSON.parse(texts.join('') + writer.end(() => 'digest'));
}

const attributesOf = (changes: Partial<ExportedReport>) =>
  eventOf({ ...report, ...changes }).Event.Attribute;

describe('a MISP event', () => {
  it('has the address, the file and the link of a report', () => {
    const { Event: event, end } = eventOf(report);
    assert.deepEqual(
      event.Attribute.map((one: Record<string, unknown>) => [
        one['type'],
        one['category'],
        one['value'],
        one['to_ids'],
      ]),
      [
        ['ip-dst|port', 'Network activity', '45.7.113.7|4444', true],
        ['sha256', 'Payload delivery', SHA256, true],
        ['link', 'External analysis', 'https://blog.example/post', false],
      ],
    );
    assert.deepEqual(event.Attribute[0].Tag, [{ name: 'AsyncRAT' }, { name: 'two words' }]);
    assert.equal(event.Orgc.name, 'Ply');
    assert.deepEqual(end, { rows: 1, sha256: 'digest' });
  });

  it('is valid without a report', () => {
    assert.deepEqual(eventOf().Event.Attribute, []);
  });

  it('writes an IPv6 address without brackets, and a name as a host name', () => {
    const [v6] = attributesOf({ c2: { host: '2a01:db8::7', port: 443 } });
    assert.deepEqual([v6.type, v6.value], ['ip-dst|port', '2a01:db8::7|443']);
    const [name] = attributesOf({ c2: { host: 'c2.evil.example', port: 443 } });
    assert.deepEqual([name.type, name.value], ['hostname|port', 'c2.evil.example|443']);
  });

  it('does not detect what a desk rejected or what expired', () => {
    for (const status of ['rejected', 'expired'] as const)
      for (const { to_ids } of attributesOf({ status })) assert.equal(to_ids, false);
    for (const status of ['acknowledged', 'actioned'] as const)
      assert.equal(attributesOf({ status })[0].to_ids, true);
  });

  it('raises the timestamp of a change and of a deletion in the second of the creation', () => {
    const [created] = attributesOf({});
    const [changed] = attributesOf({ sequence: 4 });
    const owner = { namespace: NAMESPACE, event: 'feed' } as const;
    const [text = ''] = withdrawnAttributesOf({ ...report, deletedAt: report.updatedAt }, owner);
    const withdrawn = JSON.parse(text);
    assert.equal(Number(changed.timestamp), Number(created.timestamp) + 1);
    assert.equal(Number(withdrawn.timestamp), Number(changed.timestamp) + 1);
    assert.deepEqual([withdrawn.deleted, withdrawn.to_ids], [true, false]);
  });

  it('leaves out what a type of attribute cannot hold, and control characters', () => {
    const attributes = attributesOf({
      c2: { host: 'a|b', port: 1 },
      reference: 'https://e.example/\u2028x',
      tags: ['a\u0000b', '\u0085'],
      name: 'x\r\ny',
    });
    assert.deepEqual(
      attributes.map((one: Record<string, unknown>) => one['type']),
      ['sha256'],
    );
    assert.deepEqual(attributes[0].Tag, [{ name: 'a\ufffdb' }, { name: '\ufffd' }]);
    assert.match(attributes[0].comment, /^x\ufffd\ufffdy; reported by alice/);
  });

  it('does not share ids with the events of the feed', () => {
    const [attribute] = attributesOf({});
    const owner = { namespace: NAMESPACE, event: 'feed' } as const;
    const [text = ''] = withdrawnAttributesOf({ ...report, deletedAt: report.updatedAt }, owner);
    assert.notEqual(attribute.uuid, JSON.parse(text).uuid);
  });
});

describe('the events of a MISP feed', () => {
  it('are in the manifest with their timestamp', () => {
    const head = dayEventHead(
      { slug: 'ply', name: 'Ply' },
      { day: '2026-11-16', stamp: 1_794_000_000 },
      NAMESPACE,
    );
    const { timestamp, date, info } = manifestEntry(head);
    assert.equal(timestamp, '1794000000');
    assert.equal(date, '2026-11-16');
    assert.equal(info, 'Ply: command-and-control servers reported on 2026-11-16');
  });

  it('are looked up by the halves of an address', () => {
    assert.deepEqual(lookupValuesOf(report, new IndicatorHosts({ allowed: [], baseUrl: '' })), [
      '45.7.113.7',
      '4444',
      SHA256,
      'https://blog.example/post',
    ]);
  });
});
