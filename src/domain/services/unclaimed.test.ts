import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { feedOfHost, isUnclaimedDesk, ownedFeeds } from './unclaimed.ts';

describe('the desk of unclaimed addresses', () => {
  it('is of administrators and of accounts with the role notices', () => {
    assert.equal(isUnclaimedDesk(['admin']), true);
    assert.equal(isUnclaimedDesk(['researcher', 'notices']), true);
    assert.equal(isUnclaimedDesk(['researcher']), false);
    assert.equal(isUnclaimedDesk([]), false);
  });

  it('owns their feed by the role alone', () => {
    assert.deepEqual(ownedFeeds(['ply'], ['notices']), ['ply', 'unclaimed']);
    assert.deepEqual(ownedFeeds(['unclaimed', 'ply', 'ply'], ['admin']), ['ply', 'unclaimed']);
    assert.deepEqual(ownedFeeds(['ply'], ['researcher']), ['ply']);
    assert.equal(ownedFeeds(['ply', 'unclaimed'], ['researcher']), 'needs-role');
  });
});

describe('the feed of a host', () => {
  it('is that of the service that declares it', () => {
    assert.equal(feedOfHost('a.example', 'ply'), 'ply');
    assert.equal(feedOfHost('10.0.0.1', 'ply'), 'ply');
  });

  it('is that of unclaimed ones if no service declares it', () => {
    for (const host of ['evil.example', '8.8.8.8', '2606:4700::1'])
      assert.equal(feedOfHost(host, undefined), 'unclaimed', host);
  });

  it('is none if nobody can act on the host', () => {
    for (const host of ['10.0.0.1', '203.0.113.7', '::1', 'localhost', 'printer.lan', 'co.uk'])
      assert.equal(feedOfHost(host, undefined), undefined, host);
  });
});
