import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allowListOf } from '../../domain/lists/allow-list.ts';
import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import type { ExportContext } from '../exporter.ts';
import { iocIds, parseIocId } from './iocs.ts';
import { threatfox } from './threatfox.ts';

const SHA256 = 'ab'.repeat(32);

const report: ExportedReport = {
  number: 7,
  id: '01890000-0000-7000-8000-000000000001',
  service: 'ply',
  sequence: 3,
  createdSequence: 3,
  dayPart: 1,
  name: 'Async RAT',
  tags: ['AsyncRAT', 'a,b'],
  c2: { host: '45.7.113.7', port: 4444 },
  sha256: SHA256,
  reportedBy: 'alice',
  reportedAt: '2026-11-16T10:00:00.250Z',
  firstSeenId: '01890000-0000-7000-8000-000000000001',
  reference: 'https://blog.example/post',
  confidence: 4,
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

function write(options: Record<string, string>, ...changes: readonly Partial<ExportedReport>[]) {
  const context: ExportContext = {
    feed: 'ply',
    services: new Map([
      [
        'ply',
        {
          slug: 'ply',
          name: 'Ply',
          confidenceScale: 5,
          hosts: [],
          networks: [],
          createdAt: '2026-01-01T00:00:00.000Z',
        },
      ],
    ]),
    serial: 3,
    changedAt: '2026-11-16T10:00:00.250Z',
    baseUrl: 'https://rapsheet.example',
    namespace: '0332d448-4c53-8e37-a35e-294e6e0bf24f',
    lists: allowListOf([]),
    declared: { hosts: [], networks: [] },
    firstRuleNumber: 90_000_000,
    options,
  };
  const writer = threatfox.open(context);
  const texts = changes.map((one) => writer.report({ ...report, ...one }));
  return writer.start() + texts.join('') + writer.end(() => 'digest');
}

/** Where Python's `splitlines` ends a line. */
const LINE_ENDS = '\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029';

const rowsOf = (text: string) =>
  [...LINE_ENDS]
    .reduce((some, end) => some.replaceAll(end, '\n'), text)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

const valuesOf = (row: string) =>
  row
    .slice(1, -1)
    .split('","')
    .map((value) => value.replaceAll('""', '"'));

describe('the CSV of ThreatFox', () => {
  it('has a row for the address and one for the file', () => {
    const [c2 = '', file = '', ...others] = rowsOf(write({}, {}));
    assert.deepEqual(others, []);
    assert.deepEqual(valuesOf(c2), [
      '2026-11-16 10:00:00',
      '13',
      '45.7.113.7:4444',
      'ip:port',
      'botnet_cc',
      'async_rat',
      'None',
      'Async RAT',
      'None',
      '80',
      'False',
      'https://blog.example/post',
      'AsyncRAT,a b',
      '0',
      'alice',
    ]);
    assert.deepEqual(valuesOf(file).slice(1, 5), ['14', SHA256, 'sha256_hash', 'payload']);
  });

  it('has 15 columns whatever a report says', () => {
    for (const end of LINE_ENDS) {
      const hostile = `a${end}"b","c`;
      const text = write(
        {},
        { name: hostile, tags: [hostile], reference: hostile, reportedBy: hostile },
      );
      const rows = rowsOf(text);
      assert.equal(rows.length, 2, JSON.stringify(end));
      for (const row of rows) {
        // Quotes are doubled, so that only the separators of columns are single.
        const single = row.replaceAll('""', '');
        assert.equal(single.split('","').length, 15);
      }
    }
  });

  it('has no cell that a program evaluates', () => {
    for (const sign of ['=', '+', '-', '@', '\t=', '\r=', ' =', "'=", '\uff1d']) {
      const formula = `${sign}cmd|'/c calc'!A1`;
      const [row = ''] = rowsOf(
        write({}, { name: formula, tags: [formula], reportedBy: formula, reference: formula }),
      );
      for (const value of valuesOf(row))
        assert.doesNotMatch(value, /^[\s"]*[=+\-@\t\r\uff1d]/, JSON.stringify(value));
    }
  });

  it('has the indicator as it is', () => {
    const [row = ''] = rowsOf(write({}, { c2: { host: '-a.example', port: 1 } }));
    assert.equal(valuesOf(row)[2], '-a.example');
  });

  it('leaves out addresses of IPv6 unless they are asked for, and counts them', () => {
    const v6 = { c2: { host: '2a01:db8::7', port: 443 } };
    const without = write({}, v6);
    assert.equal(rowsOf(without).length, 1);
    assert.match(without, /^# LEFT OUT ipv6=1\n# END rows=1 sha256=digest\n$/m);
    assert.match(write({ ipv6: '1' }, v6), /"2a01:db8::7:443","ip:port"/);
  });

  it('leaves out what was rejected or has expired', () => {
    assert.deepEqual(rowsOf(write({}, { status: 'rejected' }, { status: 'expired' })), []);
    assert.equal(rowsOf(write({}, { status: 'actioned' })).length, 2);
  });

  it('names malware without a family as ThreatFox does', () => {
    const [row = ''] = rowsOf(write({}, { name: 'unknown', tags: [], reference: '' }));
    const values = valuesOf(row);
    assert.deepEqual(
      [values[5], values[7], values[11], values[12]],
      ['unknown', 'Unknown malware', 'None', 'None'],
    );
  });
});

describe('the JSON of ThreatFox', () => {
  it('has the form of its API and a visible end', () => {
    const json = JSON.parse(
      write({ flavour: 'json' }, {}, { c2: { host: 'c2.example', port: 1 } }),
    );
    assert.equal(json.query_status, 'ok');
    assert.deepEqual(
      json.data.map((one: { ioc: string }) => one.ioc),
      ['45.7.113.7:4444', SHA256, 'c2.example', SHA256],
    );
    assert.deepEqual(json.end, { rows: 4, sha256: 'digest' });
    assert.equal(json.data[0].first_seen, '2026-11-16 10:00:00 UTC');
    assert.equal(json.data[2].ioc_type, 'domain');
  });

  it('is valid without an indicator', () => {
    assert.deepEqual(JSON.parse(write({ flavour: 'json' })).data, []);
  });
});

describe('the id of an indicator', () => {
  it('names a report and a part of it', () => {
    assert.deepEqual(parseIocId(iocIds(7).c2), { reportNumber: 7, part: 'c2' });
    assert.deepEqual(parseIocId(iocIds(7).file), { reportNumber: 7, part: 'file' });
    for (const text of ['', '0', '-1', '1.5', '01', 'x', '9'.repeat(17)])
      assert.equal(parseIocId(text), undefined, text);
  });
});
