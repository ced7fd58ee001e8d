import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatUuidV7 } from '../../domain/uuid.ts';
import { type ReportObjectKind, reportObjectId, reportOf } from './ids.ts';
import { fileObject, hostObject, trafficObject } from './observables.ts';

const NAMESPACE = '6f1c2a0e-4b7d-4c55-9d0a-2f6f3b1c9e11';
const OTHER_NAMESPACE = '0d0f8a2c-7f43-4f0b-8a55-94ab5c2f7e6d';
const REPORT = '019a5b3c-4d5e-7f01-a234-56789abcdef0';
const EMPTY_FILE = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const KINDS: readonly ReportObjectKind[] = [
  'c2',
  'file',
  'c2-indicates-infrastructure',
  'c2-indicates-malware',
  'c2-based-on',
  'file-indicates-malware',
  'file-based-on',
];

describe('the ids of observables', () => {
  it('are those of other implementations', () => {
    assert.equal(hostObject('203.0.113.7')?.id, 'ipv4-addr--9ddd739e-87b1-587d-83f2-62ef1130af2f');
    assert.equal(
      hostObject('c2.evil.example')?.id,
      'domain-name--490ac41b-41c8-5c9c-bb47-f2ece64875bc',
    );
    assert.equal(fileObject(EMPTY_FILE).id, 'file--22f8ff52-8f62-5f03-a53a-6f50f54fd74c');
  });

  it('differ by port and by host', () => {
    const ids = [443, 444].flatMap((port) =>
      ['2001:db8::7', '203.0.113.7', 'evil.example'].map(
        (host) => trafficObject({ host, port }, `${hostObject(host)?.id}`).id,
      ),
    );
    assert.equal(new Set(ids).size, 6);
  });

  it('are absent for names that no host may have', () => {
    for (const name of ['a_b.example', '-a.example', 'a-.example', 'ab--c.example', 'a..example'])
      assert.equal(hostObject(name), undefined, name);
    for (const name of ['xn--r8jz45g.example', '1.example', 'localhost', 'a-b.example'])
      assert.equal(hostObject(name)?.type, 'domain-name', name);
  });
});

describe('the ids of the objects of a report', () => {
  it('lead back to the report and the kind', () => {
    for (const kind of KINDS)
      assert.deepEqual(reportOf(reportObjectId(kind, REPORT, NAMESPACE), NAMESPACE), {
        reportId: REPORT,
        kind,
      });
  });

  it('lead back for every report until the year 2109', () => {
    const times = ['1970-01-01T00:00:00.000Z', '2026-02-03T04:05:06.789Z', '2109-01-01T00:00:00Z'];
    for (const time of times)
      for (const byte of [0x00, 0x5a, 0xff]) {
        const reportId = formatUuidV7(new Date(time), new Uint8Array(10).fill(byte));
        const id = reportObjectId('file', reportId, NAMESPACE);
        assert.deepEqual(reportOf(id, NAMESPACE), { reportId, kind: 'file' });
      }
  });

  it('never change', () => {
    assert.equal(
      reportObjectId('c2', REPORT, NAMESPACE),
      'indicator--5cd5f301-7e28-4a2c-9d44-f0c0e59c0bcf',
    );
  });

  it('are those of random UUIDs, as validators require', () => {
    for (const kind of KINDS)
      assert.match(
        reportObjectId(kind, REPORT, NAMESPACE),
        /^(?:indicator|relationship)--[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
  });

  it('differ by kind and by installation', () => {
    const ids = KINDS.flatMap((kind) =>
      [NAMESPACE, OTHER_NAMESPACE].map((space) => reportObjectId(kind, REPORT, space).slice(-36)),
    );
    assert.equal(new Set(ids).size, 2 * KINDS.length);
  });

  it('are not those of another type, of another form or of random bytes', () => {
    const id = reportObjectId('c2', REPORT, NAMESPACE);
    for (const other of [
      id.replace('indicator', 'relationship'),
      id.replace('indicator', 'malware'),
      id.toUpperCase(),
      `${id}0`,
      id.slice(0, -1),
      '',
      'indicator--',
      `${hostObject('203.0.113.7')?.id}`,
    ])
      assert.equal(reportOf(other, NAMESPACE), undefined, other);
    // The kinds of this id in all other upper bits.
    const digits = Array.from('0123456789abcdef');
    const found = digits.flatMap((first) =>
      digits.flatMap((second) => {
        const changed = `indicator--${first}${second}${id.slice(13)}`;
        return reportOf(changed, NAMESPACE)?.kind ?? [];
      }),
    );
    assert.deepEqual(found.sort(), [...Array(4).fill('c2'), ...Array(4).fill('file')].sort());
  });
});
