import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { authorOf, type Change } from './change.ts';
import type { SerializedReport } from './report.ts';

const step = { service: 'ply', sequence: 2, reportId: 'r1', at: new Date(0) };
const report = { service: 'ply', reporterId: 'a1', statusBy: 'desk' } as SerializedReport;
const updated: Change = { ...step, type: 'updated', report };
const deleted: Change = {
  ...step,
  type: 'deleted',
  report: undefined,
  deletion: { by: 'desk', reporterId: 'a1' },
};

const owner = { accountId: 'a2', services: ['ply'] };
const reporter = { accountId: 'a1', services: [] };

describe('who acted on a report', () => {
  it('is visible to owners of the feed and to the reporter', () => {
    for (const viewer of [owner, reporter])
      for (const change of [updated, deleted]) assert.equal(authorOf(change, viewer), 'desk');
  });

  it('is hidden from all other readers', () => {
    for (const viewer of [undefined, { accountId: 'a3', services: ['other'] }])
      for (const change of [updated, deleted]) assert.equal(authorOf(change, viewer), undefined);
  });

  it('is visible only to owners if the reporter is unknown', () => {
    const old = { ...deleted, deletion: { by: 'desk', reporterId: undefined } };
    assert.equal(authorOf(old, reporter), undefined);
    assert.equal(authorOf(old, owner), 'desk');
  });

  it('is absent if no account made the change', () => {
    const untouched = { ...updated, report: { ...report, statusBy: undefined } };
    assert.equal(authorOf(untouched, owner), undefined);
    assert.equal(authorOf({ ...deleted, deletion: undefined }, owner), undefined);
  });
});
