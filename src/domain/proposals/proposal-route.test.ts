import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { moveOf, routeOf } from './proposal-route.ts';

const open = { state: 'open', service: 'ply', confidenceScale: 10 } as const;
const reported = { ...open, state: 'reported' } as const;
const target = { service: 'tun', confidenceScale: 100, isTaken: false };

describe('the move of a proposal', () => {
  it('follows the feed of its host, while it is open', () => {
    assert.equal(moveOf(open, 'tun'), 'tun');
    assert.equal(moveOf(reported, 'tun'), undefined);
  });

  it('is none if that is its own feed, or the host has none', () => {
    assert.equal(moveOf(open, 'ply'), undefined);
    assert.equal(moveOf(open, undefined), undefined);
  });
});

describe('the route of a proposal', () => {
  const stays = { service: 'ply', confidenceScale: 10 };

  it('is the service it moves to, with its scale', () => {
    const moved = { service: 'tun', confidenceScale: 100, isUnrouted: false };
    assert.deepEqual(routeOf(open, 'tun', target), moved);
  });

  it('stays, unrouted, if the account has one there too or the service is gone', () => {
    const unrouted = { ...stays, isUnrouted: true };
    assert.deepEqual(routeOf(open, 'tun', { ...target, isTaken: true }), unrouted);
    assert.deepEqual(routeOf(open, 'tun', undefined), unrouted);
    assert.deepEqual(routeOf(open, undefined, undefined), unrouted);
  });

  it('is its own service while the host belongs there, and after it was decided', () => {
    const routed = { ...stays, isUnrouted: false };
    assert.deepEqual(routeOf(open, 'ply', undefined), routed);
    assert.deepEqual(routeOf(reported, 'tun', undefined), routed);
    assert.deepEqual(routeOf(reported, undefined, undefined), routed);
  });
});
