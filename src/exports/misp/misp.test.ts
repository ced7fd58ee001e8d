import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allowListOf } from '../../domain/lists/allow-list.ts';
import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import { IndicatorHosts } from '../../domain/reports/indicator-hosts.ts';
import { mispEventId } from '../../domain/reports/misp-event-id.ts';
import type { ExportContext } from '../exporter.ts';
import { feedEventHead, manifestEntry } from './event.ts';
import { mispHashes } from './hashes.ts';
import { misp } from './misp.ts';
import { lookupValuesOf, withdrawnObjectsOf } from './objects.ts';

const NAMESPACE = '0332d448-4c53-8e37-a35e-294e6e0bf24f';
const SHA256 = 'ab'.repeat(32);

const report: ExportedReport = {
  number: 7,
  id: '01890000-0000-7000-8000-000000000001',
  service: 'ply',
  sequence: 3,
  createdSequence: 3,
  dayPart: 1,
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
  lists: allowListOf([]),
  declared: { hosts: [], networks: [] },
  firstRuleNumber: 90_000_000,
  options: {},
};

function eventOf(...reports: readonly ExportedReport[]) {
  const writer = misp.open(context);
  const texts = [writer.start(), ...reports.map((one) => writer.report(one))];
  return JSON.parse(texts.join('') + writer.end(() => 'digest'));
}

interface Item {
  readonly uuid: string;
  readonly name: string;
  readonly type: string;
  readonly object_relation: string;
  readonly value: string;
  readonly to_ids: boolean;
  readonly deleted: boolean;
  readonly comment: string;
  readonly timestamp: string;
  readonly disable_correlation: boolean;
  readonly Tag?: readonly { readonly name: string }[];
  readonly Attribute: readonly Item[];
  readonly ObjectReference?: readonly Readonly<Record<string, string>>[];
}

const objectsOf = (changes: Partial<ExportedReport>): readonly Item[] =>
  eventOf({ ...report, ...changes }).Event.Object;
const attributesOf = (changes: Partial<ExportedReport>) =>
  objectsOf(changes).flatMap(({ Attribute }) => Attribute);
const withdrawnObjects = (): readonly Item[] =>
  withdrawnObjectsOf(
    { ...report, deletedAt: report.updatedAt },
    { namespace: NAMESPACE, event: 'feed' },
  ).map((text) => JSON.parse(text));

describe('a MISP event', () => {
  it('has objects for the address, the file and the link of a report', () => {
    const { Event: event, end } = eventOf(report);
    assert.deepEqual(event.Attribute, []);
    assert.deepEqual(
      objectsOf({}).map(({ name, Attribute }) => [
        name,
        ...Attribute.map((one) => [one.object_relation, one.value, one.to_ids]),
      ]),
      [
        ['ip-port', ['ip-dst', '45.7.113.7', true], ['dst-port', '4444', false]],
        ['file', ['sha256', SHA256, true]],
        ['report', ['link', 'https://blog.example/post', false]],
      ],
    );
    const [host, port, file, link] = attributesOf({});
    const tags = [{ name: 'AsyncRAT' }, { name: 'two words' }];
    assert.deepEqual(
      [host?.Tag, port?.Tag, file?.Tag, link?.Tag],
      [tags, undefined, tags, undefined],
    );
    assert.deepEqual([port?.disable_correlation, link?.disable_correlation], [true, true]);
    assert.equal(event.Orgc.name, 'Ply');
    assert.deepEqual(end, { rows: 1, sha256: 'digest' });
  });

  it('says which file contacts which address, and which link describes it', () => {
    const [c2, file, link] = objectsOf({});
    const references = [c2, file, link].map((one) => one?.ObjectReference?.[0]);
    assert.deepEqual(
      references.map(
        (one) => one && [one['object_uuid'], one['relationship_type'], one['referenced_uuid']],
      ),
      [
        undefined,
        [file?.uuid, 'communicates-with', c2?.uuid],
        [link?.uuid, 'describes', file?.uuid],
      ],
    );
    const [alone] = objectsOf({ c2: { host: 'a|b', port: 1 } });
    assert.deepEqual([alone?.name, alone?.ObjectReference], ['file', undefined]);
  });

  it('gives everything an id of its own', () => {
    const objects = [...objectsOf({}), ...withdrawnObjects()];
    const ids = objects.flatMap(({ uuid, Attribute, ObjectReference = [] }) => [
      uuid,
      ...Attribute.map((one) => one.uuid),
      ...ObjectReference.map((one) => one['uuid']),
    ]);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('is valid without a report', () => {
    assert.deepEqual(eventOf().Event.Object, []);
  });

  it('writes an IPv6 address without brackets, and a name as a host name', () => {
    const [v6] = attributesOf({ c2: { host: '2a01:db8::7', port: 443 } });
    assert.deepEqual([v6?.type, v6?.value], ['ip-dst', '2a01:db8::7']);
    const [name] = attributesOf({ c2: { host: 'c2.evil.example', port: 443 } });
    assert.deepEqual([name?.type, name?.value], ['hostname', 'c2.evil.example']);
  });

  it('does not detect what a desk rejected or what expired', () => {
    for (const status of ['rejected', 'expired'] as const)
      for (const { to_ids } of attributesOf({ status })) assert.equal(to_ids, false);
    for (const status of ['acknowledged', 'actioned'] as const)
      assert.equal(attributesOf({ status })[0]?.to_ids, true);
  });

  it('raises the timestamps of a change and of a deletion in the second of the creation', () => {
    const versions = [objectsOf({}), objectsOf({ sequence: 4 }), withdrawnObjects()];
    const times = versions.map(([object]) =>
      [object, ...(object?.Attribute ?? [])].map((one) => Number(one?.timestamp)),
    );
    const [created = 0] = times[0] ?? [];
    assert.deepEqual(
      times,
      [0, 1, 2].map((more) => [created, created, created].map((at) => at + more)),
    );
  });

  it('deletes the objects of a deleted report with their attributes', () => {
    const objects = withdrawnObjects();
    assert.deepEqual(
      objects.map(({ name }) => name),
      ['ip-port', 'file'],
    );
    for (const { deleted, Attribute } of objects) {
      assert.ok(deleted);
      for (const one of Attribute) assert.deepEqual([one.deleted, one.to_ids], [true, false]);
    }
  });

  it('leaves out what a type of attribute cannot hold, and control characters', () => {
    const attributes = attributesOf({
      c2: { host: 'a|b', port: 1 },
      reference: 'https://e.example/\u2028x',
      tags: ['a\u0000b', '\u0085'],
      name: 'x\r\ny',
    });
    assert.deepEqual(
      attributes.map((one) => one.type),
      ['sha256'],
    );
    assert.deepEqual(attributes[0]?.Tag, [{ name: 'a\ufffdb' }, { name: '\ufffd' }]);
    assert.match(attributes[0]?.comment ?? '', /^x\ufffd\ufffdy; reported by alice/);
  });
});

describe('the events of a MISP feed', () => {
  const feed = { slug: 'ply', name: 'Ply' };
  const event = { id: 'e', day: '2026-11-16', part: 1, stamp: 1_794_000_000 };

  it('are in the manifest with their timestamp', () => {
    const { timestamp, date, info } = manifestEntry(feedEventHead(feed, event, NAMESPACE));
    assert.equal(timestamp, '1794000000');
    assert.equal(date, '2026-11-16');
    assert.equal(info, 'Ply: command-and-control servers reported on 2026-11-16');
  });

  it('name their part, from the second of a day on', () => {
    const { info } = feedEventHead(feed, { ...event, part: 2 }, NAMESPACE);
    assert.equal(info, 'Ply: command-and-control servers reported on 2026-11-16, part 2');
  });

  it('are looked up by the host and the port of an address', () => {
    assert.deepEqual(
      lookupValuesOf(report, new IndicatorHosts({ lists: allowListOf([]), baseUrl: '' })),
      ['45.7.113.7', '4444', SHA256, 'https://blog.example/post'],
    );
  });

  it('are those of the service, the day and the part of each report in the hashes', () => {
    const writer = mispHashes.open({ ...context, feed: 'all' });
    const reports = [
      report,
      { ...report, dayPart: 2 },
      { ...report, service: 'cask' },
      { ...report, reportedAt: '2026-11-17T00:00:00.000Z' },
    ];
    const ids = reports.map((one) => writer.report(one).split('\n')[0]?.split(',')[1]);
    assert.deepEqual(ids, [
      mispEventId(NAMESPACE, 'ply', { day: '2026-11-16', part: 1 }),
      mispEventId(NAMESPACE, 'ply', { day: '2026-11-16', part: 2 }),
      mispEventId(NAMESPACE, 'cask', { day: '2026-11-16', part: 1 }),
      mispEventId(NAMESPACE, 'ply', { day: '2026-11-17', part: 1 }),
    ]);
  });
});
