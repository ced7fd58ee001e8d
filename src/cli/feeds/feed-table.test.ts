import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ExtendedReport } from '../../client/wire.ts';
import { tableOf } from '../output/list.ts';
import { changeColumns, changeLine, reportColumns, showExtended } from './feed-table.ts';

const report: ExtendedReport = {
  id: '0198e5a0-0000-7000-8000-000000000001',
  name: 'LANTERN\x1b[2J',
  tags: ['a', 'b\u202e'],
  c2Address: 'evil.example:4444',
  reportedAt: '2026-08-26 10:00:00',
  reportedBy: 'alice',
  file256Hash: 'f'.repeat(64),
  firstSeenID: '0198e5a0-0000-7000-8000-000000000001',
  referenceLink: 'https://example/x',
  confidenceScore: 50,
  service: 'ply',
  sequence: 7,
  status: 'actioned',
  statusReason: 'taken_down',
  statusNote: 'gone\r\nthanks\x07',
  updatedAt: '2026-08-27T10:00:00Z',
  expiresAt: '2026-11-25T10:00:00Z',
  corroboration: 2,
  sightings: 3,
  recurrence: true,
  confirmation: 'confirmed',
  misrouted: true,
  routedTo: 'other',
  knownAs: [{ list: 'Tunnels', kind: 'shared' }],
};

const reportTable = (isAllFeeds: boolean) => tableOf(reportColumns(isAllFeeds), [report]);

describe('the tables of feeds', () => {
  it('have a column for the service when they show all feeds', () => {
    assert.match(reportTable(true), /^ID +REPORTED +SERVICE +STATUS/);
    assert.match(reportTable(false), /^ID +REPORTED +STATUS/);
  });

  it('show the status, its reason, the confirmation, a recurrence and the route', () => {
    assert.match(
      reportTable(false),
      /actioned \(taken_down\) +confirmed +50 +3, came back +evil\.example:4444 \(belongs to other\)/,
    );
  });

  it('contain no control characters', () => {
    const change = { sequence: 7, type: 'updated' as const, id: report.id, report };
    const hostile = /[^\P{C}\n]/u;
    for (const text of [
      ...[reportTable(true), tableOf(changeColumns(true), [change])],
      ...[changeLine(change), showExtended(report)],
    ])
      assert.doesNotMatch(text, hostile);
  });

  it('have a line for a deleted report', () => {
    const change = { service: 'ply', sequence: 8, type: 'deleted' as const, id: report.id };
    assert.equal(changeLine(change), `ply  8  deleted  ${report.id}  -  -  -`);
    assert.match(tableOf(changeColumns(true), [change]), /^ply +8 +deleted +\S+ +- +- +-$/m);
  });

  it('show all lines of the note of the desk', () => {
    assert.match(showExtended(report), /^note +gone\n +thanks\?\n/m);
    assert.doesNotMatch(showExtended({ ...report, statusNote: undefined }), /^note/m);
    assert.doesNotMatch(showExtended(report), /^set by/m);
    assert.match(showExtended({ ...report, statusBy: 'desk' }), /^set by +desk$/m);
  });
});
