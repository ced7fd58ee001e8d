import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { always } from '../../../test/always.ts';
import type { Caller } from '../../domain/accounts/caller.ts';
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
        const expected = JSON.stringify(presentExtended(report, viewer));
        assert.equal(serializeExtended(stored(report), viewer), expected);
      }),
    );
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
    const shown = { sequence: 9, type: 'updated', id: report.id, report: presentExtended(report) };
    assert.equal(serializeChange(change), JSON.stringify(shown));
  });

  it('names its feed first in the combined log', () => {
    const { service, ...rest } = JSON.parse(serializeChangeOfAll(change));
    assert.equal(service, 'ply');
    assert.equal(JSON.stringify(rest), serializeChange(change));
    assert.match(serializeChangeOfAll(change), /^{"service":/);
  });

  it('has no report if it was deleted, and the time of the deletion', () => {
    const withoutReport = { ...change, report: undefined };
    const members = { sequence: 9, type: 'updated', id: report.id };
    assert.equal(serializeChange(withoutReport), JSON.stringify(members));
    assert.equal(
      serializeChange(deleted),
      JSON.stringify({ ...members, type: 'deleted', deletedAt: '2026-08-26T10:00:00Z' }),
    );
  });

  it('names the account that deleted the report to those who may see it', () => {
    const by = 'a "desk"';
    const known = { ...deleted, deletion: { by, reporterId: 'a1' } };
    assert.equal(JSON.parse(serializeChange(known, viewerOf('a1', []))).deletedBy, by);
    assert.equal(JSON.parse(serializeChange(known)).deletedBy, undefined);
  });
});
