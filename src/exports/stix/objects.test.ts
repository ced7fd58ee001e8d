import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allowListOf } from '../../domain/lists/allow-list.ts';
import type { ExportedReport, WithdrawnReport } from '../../domain/reports/exported-report.ts';
import { IndicatorHosts } from '../../domain/reports/indicator-hosts.ts';
import { reportObjectId } from './ids.ts';
import * as texts from './objects.ts';
import type { StixContext, StixObject } from './stix-object.ts';

const SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const NAMESPACE = '6f1c2a0e-4b7d-4c55-9d0a-2f6f3b1c9e11';

function contextWith(members: Partial<StixContext> = {}): StixContext {
  const service = {
    slug: 'ply',
    name: 'Ply',
    confidenceScale: 10,
    hosts: [],
    networks: [],
    createdAt: '2026-01-02T03:04:05.678Z',
  };
  return {
    namespace: NAMESPACE,
    services: new Map([['ply', service]]),
    baseUrl: 'https://rapsheet.example',
    hosts: new IndicatorHosts({ lists: allowListOf([]), baseUrl: 'https://rapsheet.example' }),
    profile: 'indicators',
    tlp: '2',
    ...members,
  };
}

const withdrawn: WithdrawnReport = {
  number: 1,
  id: '019a5b3c-4d5e-7f01-a234-56789abcdef0',
  service: 'ply',
  sequence: 9,
  createdSequence: 7,
  dayPart: 1,
  name: 'AsyncRAT',
  c2: { host: '45.7.113.7', port: 4444 },
  sha256: SHA256,
  reportedAt: '2026-02-03T04:05:06.789Z',
  addedAt: '2026-02-05T00:00:00.001Z',
  deletedAt: '2026-02-05T00:00:00.000Z',
};

function reportWith(members: Partial<ExportedReport> = {}): ExportedReport {
  const { deletedAt, ...subject } = withdrawn;
  return {
    ...subject,
    sequence: 8,
    tags: ['rat', 'windows'],
    reportedBy: 'alice',
    firstSeenId: subject.id,
    reference: '',
    confidence: 7,
    status: 'open',
    statusReason: undefined,
    addedAt: '2026-02-04T00:00:00.001Z',
    updatedAt: '2026-02-04T00:00:00.000Z',
    expiresAt: '2026-05-04T00:00:00.000Z',
    corroboration: 0,
    sightings: 1,
    recurrence: false,
    confirmation: 'unknown',
    rejectionSequence: undefined,
    routedTo: undefined,
    body: '{}',
    ...members,
  };
}

/** An object as its readers parse it. */
interface ParsedObject {
  readonly type: string;
  readonly id: string;
  readonly [member: string]: unknown;
}

function parsed(objects: readonly StixObject[]): readonly ParsedObject[] {
  return objects.map(({ type, id, version, text }) => {
    const object = JSON.parse(text);
    assert.deepEqual(
      [object.type, object.id, object.modified ?? object.created],
      [type, id, version],
    );
    // No member or escape is written in another way than JSON writes it.
    assert.equal(JSON.stringify(object), text);
    return object;
  });
}

const feedObjects = (context: StixContext) => parsed(texts.feedObjects(context));
const objectsOf = (report: ExportedReport, context: StixContext) =>
  parsed(texts.objectsOf(report, context));
const withdrawnObjectsOf = (report: WithdrawnReport, context: StixContext) =>
  parsed(texts.withdrawnObjectsOf(report, context));

function c2IndicatorOf(members: Partial<ExportedReport>): ParsedObject {
  const [indicator] = objectsOf(reportWith(members), contextWith());
  assert.ok(indicator);
  return indicator;
}

describe('the objects of a report', () => {
  it('are two indicators', () => {
    const [c2, file, ...others] = objectsOf(reportWith(), contextWith());
    assert.equal(others.length, 0);
    assert.equal(c2?.['pattern'], "[ipv4-addr:value = '45.7.113.7']");
    assert.equal(c2?.['name'], 'AsyncRAT C2 45.7.113.7:4444');
    assert.equal(file?.['pattern'], `[file:hashes.'SHA-256' = '${SHA256}']`);
    for (const indicator of [c2, file]) {
      assert.equal(indicator?.['created'], '2026-02-03T04:05:06.789Z');
      assert.equal(indicator?.['modified'], '2026-02-04T00:00:00.001Z');
      assert.equal(indicator?.['valid_from'], '2026-02-03T04:05:06.789Z');
      assert.equal(indicator?.['valid_until'], '2026-05-04T00:00:00.000Z');
      assert.equal(indicator?.['confidence'], 70);
      assert.deepEqual(indicator?.['labels'], ['rat', 'windows']);
    }
  });

  it('have patterns by the type of the host', () => {
    const patternOf = (host: string) => c2IndicatorOf({ c2: { host, port: 443 } })['pattern'];
    assert.equal(patternOf('2a01:db8::7'), "[ipv6-addr:value = '2a01:db8::7']");
    assert.equal(patternOf('c2.evil.example'), "[domain-name:value = 'c2.evil.example']");
  });

  it('are absent if a value is not what its type promises', () => {
    for (const members of [
      { c2: { host: "a'b\\c", port: 443 } },
      { c2: { host: 'a.example\n', port: 443 } },
      { c2: { host: 'a.example', port: 0 } },
      { sha256: `${SHA256}\n` },
    ])
      for (const profile of ['rich', 'indicators'] as const)
        assert.deepEqual(objectsOf(reportWith(members), contextWith({ profile })), []);
    const deleted = { ...withdrawn, sha256: '' };
    assert.deepEqual(withdrawnObjectsOf(deleted, contextWith()), []);
  });

  it('leave out what is empty', () => {
    const indicator = c2IndicatorOf({ tags: ['\u200b'], name: 'unknown' });
    assert.equal(indicator['name'], 'C2 45.7.113.7:4444');
    assert.equal('labels' in indicator, false);
  });

  it('have no invisible characters in their texts', () => {
    const tags = ['a\u2028b', 'a\u0000b', 'c\u202ed', '\ud800e'];
    const indicator = c2IndicatorOf({ tags, name: 'n\nm', reportedBy: 'x\r\ny' });
    assert.deepEqual(indicator['labels'], ['ab', 'cd', 'e']);
    assert.equal(indicator['name'], 'nm C2 45.7.113.7:4444');
    assert.match(String(indicator['description']), /by xy\./);
  });

  it('refer to the page of the report, and to its reference in ASCII', () => {
    const { external_references } = c2IndicatorOf({ reference: 'https://例え.example/ä' });
    assert.deepEqual(external_references, [
      {
        source_name: 'Rapsheet',
        external_id: withdrawn.id,
        url: `https://rapsheet.example/feeds/ply/reports/${withdrawn.id}`,
      },
      {
        source_name: 'Reference of the report',
        url: 'https://xn--r8jz45g.example/%C3%A4',
      },
    ]);
  });

  it('are valid until a false positive was rejected, without being revoked', () => {
    const status = 'rejected' as const;
    const wrong = c2IndicatorOf({ status, statusReason: 'false_positive' });
    assert.equal(wrong['valid_until'], '2026-02-04T00:00:00.000Z');
    assert.equal('revoked' in wrong, false);
    const foreign = c2IndicatorOf({ status, statusReason: 'not_ours' });
    assert.equal(foreign['valid_until'], '2026-05-04T00:00:00.000Z');
  });

  it('are valid for a millisecond at least, and not modified before they are created', () => {
    const indicator = c2IndicatorOf({
      expiresAt: '2026-02-03T04:05:06.789Z',
      addedAt: '2026-02-03T04:05:06.000Z',
      sequence: 7,
    });
    assert.equal(indicator['valid_until'], '2026-02-03T04:05:06.790Z');
    assert.equal(indicator['modified'], indicator['created']);
  });

  it('are modified later with every version, even if the clock of the database is behind', () => {
    const versions = [
      c2IndicatorOf({ sequence: 7, addedAt: '2026-02-03T04:05:06.000Z' }),
      c2IndicatorOf({ sequence: 8, addedAt: '2026-02-03T04:05:06.001Z' }),
      c2IndicatorOf({ sequence: 11, addedAt: '2026-02-03T04:05:06.790Z' }),
      c2IndicatorOf({ sequence: 12, addedAt: '2026-02-03T04:05:08.000Z' }),
    ];
    assert.deepEqual(
      versions.map(({ modified }) => modified),
      [
        '2026-02-03T04:05:06.789Z',
        '2026-02-03T04:05:06.790Z',
        '2026-02-03T04:05:06.793Z',
        '2026-02-03T04:05:08.000Z',
      ],
    );
  });

  it('state no modification that has not come, and none before they are created', () => {
    const changedUntil = '2026-02-03T04:05:07.500Z';
    const modifiedAt = (addedAt: string, until = changedUntil) => {
      const context = contextWith({ changedUntil: until });
      const [c2] = texts.objectsOf(reportWith({ sequence: 9, addedAt }), context);
      return c2?.version;
    };
    assert.equal(modifiedAt('2026-02-03T04:05:07.400Z'), '2026-02-03T04:05:07.400Z');
    assert.equal(modifiedAt('2026-02-03T04:05:09.000Z'), changedUntil);
    assert.equal(
      modifiedAt('2026-02-03T04:05:09.000Z', '2026-02-03T04:05:00.000Z'),
      '2026-02-03T04:05:06.789Z',
    );
  });

  it('have a confidence from 0 to 100', () => {
    assert.equal(c2IndicatorOf({ confidence: 0 })['confidence'], 0);
    assert.equal(c2IndicatorOf({ confidence: 10 })['confidence'], 100);
    assert.equal(c2IndicatorOf({ confidence: 99 })['confidence'], 100);
  });
});

describe('the objects of a deleted report', () => {
  it('are its indicators, revoked and no longer valid', () => {
    const objects = withdrawnObjectsOf(withdrawn, contextWith());
    const before = objectsOf(reportWith(), contextWith());
    assert.deepEqual(
      objects.map((object) => [object.id, object['created']]),
      before.map((object) => [object.id, object['created']]),
    );
    for (const object of objects) {
      assert.equal(object['revoked'], true);
      assert.equal(object['modified'], '2026-02-05T00:00:00.001Z');
      assert.equal(object['valid_until'], '2026-02-05T00:00:00.000Z');
    }
  });
});

describe('the rich profile', () => {
  const context = contextWith({ profile: 'rich' });

  it('has what the indicators are about, each object after those it refers to', () => {
    const objects = [...feedObjects(context), ...objectsOf(reportWith(), context)];
    const known = new Set<string>();
    for (const object of objects) {
      for (const [member, value] of Object.entries(object))
        if (/_refs?$/.test(member))
          for (const id of [value].flat()) assert.ok(known.has(String(id)), `${member} ${id}`);
      assert.equal(object['spec_version'], '2.1');
      known.add(object.id);
    }
    assert.equal(known.size, objects.length);
    assert.deepEqual(
      objects.filter(({ type }) => type !== 'relationship').map(({ type }) => type),
      [
        'marking-definition',
        'identity',
        'ipv4-addr',
        'network-traffic',
        'file',
        'infrastructure',
        'malware',
        'indicator',
        'indicator',
      ],
    );
  });

  it('has no malware for a report that is named after its tag or not at all', () => {
    const typesOf = (members: Partial<ExportedReport>) =>
      objectsOf(reportWith(members), context).map(({ type }) => type);
    assert.equal(typesOf({ name: 'rat' }).includes('malware'), false);
    assert.equal(typesOf({ name: 'unknown', tags: [] }).includes('malware'), false);
    assert.equal(typesOf({ name: 'rat', tags: ['other'] }).includes('malware'), true);
  });

  it('shares objects between reports without a difference', () => {
    const one = objectsOf(reportWith(), context);
    const other = objectsOf(
      reportWith({
        id: '019a5b3c-4d5e-7f01-a234-56789abcdef1',
        name: 'ASYNCRAT',
        addedAt: '2027-01-01T00:00:00.000Z',
        reportedAt: '2026-12-01T00:00:00.000Z',
      }),
      context,
    );
    const known = new Map(one.map((object) => [object.id, JSON.stringify(object)]));
    const shared = other.filter(({ id }) => known.has(id));
    assert.equal(shared.length, 9);
    for (const object of shared) assert.equal(JSON.stringify(object), known.get(object.id));
  });
});

describe('the objects of a feed', () => {
  it('are the marking and the identity of the service', () => {
    const [marking, identity] = feedObjects(contextWith());
    assert.equal(marking?.id, 'marking-definition--94868c89-83c2-464b-929b-a1a8aa3c8487');
    assert.equal(identity?.['created'], '2026-01-02T03:04:05.678Z');
    const [indicator] = objectsOf(reportWith(), contextWith());
    assert.equal(indicator?.['created_by_ref'], identity?.id);
    assert.equal(indicator?.id, reportObjectId('c2', withdrawn.id, NAMESPACE));
  });

  it('have the first version of the marking on request', () => {
    const [marking] = feedObjects(contextWith({ tlp: '1' }));
    assert.equal(marking?.id, 'marking-definition--613f2e26-407d-48c7-9eca-b8e91df99dc9');
    const [indicator] = objectsOf(reportWith(), contextWith({ tlp: '1' }));
    assert.deepEqual(indicator?.['object_marking_refs'], [marking?.id]);
  });
});
