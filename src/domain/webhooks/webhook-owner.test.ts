import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deliveryRefusal, suspensionOf, type WebhookOwner } from './webhook-owner.ts';

const NOW = new Date('2026-08-26T10:00:00Z');
const owner: WebhookOwner = {
  accountId: 'a1',
  name: 'alice',
  disabled: false,
  expiresAt: undefined,
  ownsFeed: true,
};

describe('the suspension of a webhook', () => {
  it('is none while its owner is active and owns the feed', () => {
    assert.equal(suspensionOf(owner, NOW), undefined);
    const later = new Date(NOW.getTime() + 1);
    assert.equal(suspensionOf({ ...owner, expiresAt: later }, NOW), undefined);
  });

  it('states what its owner lost', () => {
    assert.match(suspensionOf(undefined, NOW) ?? '', /no owner/);
    assert.match(suspensionOf({ ...owner, disabled: true }, NOW) ?? '', /alice, is disabled/);
    assert.match(suspensionOf({ ...owner, expiresAt: NOW }, NOW) ?? '', /alice, has expired/);
    assert.match(
      suspensionOf({ ...owner, ownsFeed: false }, NOW) ?? '',
      /no longer owns this feed/,
    );
  });
});

describe('a delivery that is queued by hand', () => {
  it('is refused while the webhook gets none', () => {
    assert.equal(deliveryRefusal({ disabledAt: undefined, owner }, NOW), undefined);
    assert.equal(deliveryRefusal({ disabledAt: NOW, owner: undefined }, NOW), 'disabled');
    assert.equal(deliveryRefusal({ disabledAt: undefined, owner: undefined }, NOW), 'suspended');
  });
});
