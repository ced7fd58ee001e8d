import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { always } from '../../../test/always.ts';
import type { Caller } from '../../domain/accounts/caller.ts';
import { KnownLists } from '../../domain/lists/known-lists.ts';
import type { Change } from '../../domain/reports/change.ts';
import { CONFIRMATIONS } from '../../domain/reports/confirmation.ts';
import type { Report, SerializedReport } from '../../domain/reports/report.ts';
import { presentExtended, serializers } from './present.ts';
import { serializeChange, serializeChangeOfAll, serializeExtended } from './serialize-report.ts';

/** Any text: quotes, controls, separators of lines, unpaired surrogates, ends of objects. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"', '\\', '}', '\u2028', '\0', '\ud800', '</script>', '","status":"open'),
);
const optional = fc.option(text, { nil: undefined });
const moment = fc.date({ min: new Date(0), max: new Date(8e15), noInvalidDate: true });

const anyReport: fc.Arbitrary<Report> = fc.record({
  id: fc.uuid(),
  service: fc.constantFrom('ply', 'other'),
  sequence: fc.nat(),
  name: text,
  tags: fc.array(text),
  c2: fc.record({ host: text, port: fc.nat() }),
  reportedAt: moment,
  reporterId: fc.constantFrom('a1', 'a2'),
  reportedBy: text,
  sha256: text,
  firstSeenId: fc.uuid(),
  reference: text,
  confidence: fc.nat(),
  createdSequence: fc.nat(),
  status: fc.constantFrom('open', 'acknowledged', 'actioned', 'rejected', 'expired'),
  statusReason: optional,
  statusNote: optional,
  statusBy: optional,
  updatedAt: moment,
  expiresAt: moment,
  corroboration: fc.nat(),
  sightings: fc.nat(),
  recurrence: fc.boolean(),
  confirmation: fc.constantFrom(...CONFIRMATIONS),
  routedTo: fc.option(fc.constantFrom('ply', 'other'), { nil: undefined }),
});

const viewerOf = (accountId: string, services: readonly string[]): Caller => ({
  accountId,
  services,
  name: 'viewer',
  roles: [],
  tokenId: 't1',
});
const anyViewer = fc.option(
  fc.tuple(fc.constantFrom('a1', 'a3'), fc.subarray(['ply'])).map((of) => viewerOf(...of)),
  { nil: undefined },
);

const SHA256 = 'ab'.repeat(32);
const lists = new KnownLists();
lists.addEntries(lists.addList({ list: 'good "hosts"', kind: 'good' }), ['good.example']);
lists.addEntries(lists.addList({ list: 'networks', kind: 'scanner' }), ['2001:db8::/32', SHA256]);

/** As the store returns it. */
function stored(report: Report): SerializedReport {
  const { updatedAt, expiresAt, ...members } = report;
  return {
    ...members,
    body: serializers.report(report),
    updatedAt: updatedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  };
}

describe('a report in a list', () => {
  it('is the same text as the serialized object, for every report and reader', () => {
    always(
      fc.property(anyReport, anyViewer, (report, viewer) => {
        const expected = JSON.stringify(presentExtended(report, lists, viewer));
        assert.equal(serializeExtended(stored(report), { viewer, lists }), expected);
      }),
    );
  });
});

describe('the lists of a report', () => {
  const [report = assert.fail()] = fc.sample(anyReport, { numRuns: 1, seed: 1 });
  const tags = [',"c2Address":"good.example:1","file256Hash":"'];
  const known = (host: string, sha256 = '') => {
    const text = serializeExtended(stored({ ...report, tags, c2: { host, port: 1 }, sha256 }), {
      lists,
    });
    // The database composes the same text.
    const again = serializeExtended(text.replace(/,"knownAs":.*\]}$/, '}'), { lists });
    assert.equal(again, text);
    return JSON.parse(text).knownAs;
  };

  it('are those of its host and its file, whatever its tags say', () => {
    const [good, networks] = [
      { list: 'good "hosts"', kind: 'good' },
      { list: 'networks', kind: 'scanner' },
    ];
    assert.deepEqual(known('c2.example'), []);
    assert.deepEqual(known('a.good.example'), [good]);
    assert.deepEqual(known('2001:db8::1'), [networks]);
    assert.deepEqual(known('good.example', SHA256), [good, networks]);
  });
});

describe('a change as it is sent', () => {
  const [report = assert.fail()] = fc.sample(anyReport, { numRuns: 1, seed: 1 });
  const change: Change = {
    service: 'ply',
    sequence: 9,
    type: 'updated',
    reportId: report.id,
    at: new Date('2026-08-26T10:00:00.987Z'),
    report: stored(report),
  };
  const deleted: Change = { ...change, type: 'deleted', report: undefined };

  it('has the report in its current state', () => {
    const shown = {
      sequence: 9,
      type: 'updated',
      id: report.id,
      report: presentExtended(report, lists),
    };
    assert.equal(serializeChange(change, { lists }), JSON.stringify(shown));
  });

  it('names its feed first in the combined log', () => {
    const { service, ...rest } = JSON.parse(serializeChangeOfAll(change, { lists }));
    assert.equal(service, 'ply');
    assert.equal(JSON.stringify(rest), serializeChange(change, { lists }));
    assert.match(serializeChangeOfAll(change, { lists }), /^{"service":/);
  });

  it('has no report if it was deleted, and the time of the deletion', () => {
    const withoutReport = { ...change, report: undefined };
    const members = { sequence: 9, type: 'updated', id: report.id };
    assert.equal(serializeChange(withoutReport, { lists }), JSON.stringify(members));
    assert.equal(
      serializeChange(deleted, { lists }),
      JSON.stringify({ ...members, type: 'deleted', deletedAt: '2026-08-26T10:00:00Z' }),
    );
  });

  it('names the account that deleted the report to those who may see it', () => {
    const by = 'a "desk"';
    const known = { ...deleted, deletion: { by, reporterId: 'a1' } };
    assert.equal(
      JSON.parse(serializeChange(known, { viewer: viewerOf('a1', []), lists })).deletedBy,
      by,
    );
    assert.equal(JSON.parse(serializeChange(known, { lists })).deletedBy, undefined);
  });
});
