import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { proposalRefusal, proposalReportedBy } from './decide-proposal.ts';

describe('a create that names a proposal', () => {
  it('makes a report of an open one', () => {
    assert.equal(proposalRefusal({ state: 'open', reportId: undefined }), undefined);
  });

  it('makes a report of one without a report, whatever its state was', () => {
    assert.equal(proposalRefusal({ state: 'reported', reportId: undefined }), undefined);
  });

  it('gets the report of one that was reported', () => {
    const replayed = { kind: 'replayed', id: 'r1' };
    assert.deepEqual(proposalRefusal({ state: 'reported', reportId: 'r1' }), replayed);
  });

  it('is refused if the proposal is dismissed or absent', () => {
    const dismissed = { state: 'dismissed', reportId: undefined } as const;
    assert.deepEqual(proposalRefusal(dismissed), { kind: 'proposal-dismissed' });
    assert.deepEqual(proposalRefusal(undefined), { kind: 'proposal-absent' });
  });
});

describe('a create without a proposal', () => {
  const open = { state: 'open', serviceId: 1 } as const;
  const other = { state: 'open', serviceId: 2 } as const;
  const dismissed = { state: 'dismissed', serviceId: 1 } as const;

  it('reports the open proposal of its service', () => {
    assert.equal(proposalReportedBy([other, open], { serviceId: 1, isRouted: false }), open);
  });

  it('reports that of another service if its own answers for the C2', () => {
    assert.equal(proposalReportedBy([other], { serviceId: 1, isRouted: true }), other);
    assert.equal(proposalReportedBy([other], { serviceId: 1, isRouted: false }), undefined);
  });

  it('leaves that of another service if the account decided about one of its own', () => {
    const report = { serviceId: 1, isRouted: true };
    assert.equal(proposalReportedBy([dismissed, other], report), undefined);
  });

  it('leaves proposals that are not open', () => {
    assert.equal(proposalReportedBy([dismissed], { serviceId: 1, isRouted: true }), undefined);
    assert.equal(proposalReportedBy([dismissed], { serviceId: 2, isRouted: true }), undefined);
    assert.equal(proposalReportedBy([], { serviceId: 1, isRouted: true }), undefined);
  });
});
