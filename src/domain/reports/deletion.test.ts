import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deletesAs } from './deletion.ts';

const report = { reporterId: 'alice' };

describe('the deletion of a report', () => {
  it('is the right of its creator, who may own the feed too', () => {
    assert.equal(deletesAs(report, { accountId: 'alice', ownsFeed: false }), 'creator');
    assert.equal(deletesAs(report, { accountId: 'alice', ownsFeed: true }), 'creator');
  });

  it('is the right of an owner of the feed', () => {
    assert.equal(deletesAs(report, { accountId: 'desk', ownsFeed: true }), 'owner');
  });

  it('is nobody else’s', () => {
    assert.equal(deletesAs(report, { accountId: 'mallory', ownsFeed: false }), undefined);
  });
});
