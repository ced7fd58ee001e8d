import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { patternsOf, routeKeys } from './route.ts';

describe('the keys of a host', () => {
  it('are the name itself, then ever shorter wildcards', () => {
    assert.deepEqual(routeKeys('a.b.ply.example'), [
      'example.ply.b.a',
      'example.ply.b.*',
      'example.ply.*',
      'example.*',
    ]);
    assert.deepEqual(routeKeys('localhost'), ['localhost']);
  });

  it('are the address itself, then ever larger networks', () => {
    const keys = routeKeys('203.0.113.255');
    assert.equal(keys.length, 34);
    assert.deepEqual(keys.slice(0, 4), [
      '203.0.113.255',
      '4/32/cb0071ff',
      '4/31/cb0071fe',
      '4/30/cb0071fc',
    ]);
    assert.deepEqual(keys.slice(-2), ['4/1/80', '4/0/']);
    assert.equal(routeKeys('2001:db8::1').length, 130);
    assert.equal(routeKeys('2001:db8::1').at(97), '6/32/20010db8');
  });
});

describe('the keys of a service', () => {
  it('are among those of every host that a pattern matches', () => {
    const hosts = ['ply.example', '*.ply.example', '203.0.113.7'];
    const networks = ['203.0.113.9/28', '2001:db8::/33'];
    const [apex, below, address, network, ipv6] = patternsOf({ hosts, networks }).map(
      ({ key }) => key,
    );
    const has = (host: string, key = '') => routeKeys(host).includes(key);
    assert.ok(has('ply.example', apex) && !has('a.ply.example', apex));
    assert.ok(has('a.ply.example', below) && has('b.a.ply.example', below));
    assert.ok(!has('ply.example', below) && !has('aply.example', below));
    assert.ok(has('203.0.113.7', address) && !has('203.0.113.8', address));
    assert.ok(has('203.0.113.15', network) && !has('203.0.113.16', network));
    assert.ok(has('2001:db8:7fff::1', ipv6) && !has('2001:db8:8000::1', ipv6));
  });

  it('are one for patterns that mean the same', () => {
    const networks = ['203.0.113.9/24', '203.0.113.0/24'];
    assert.deepEqual(patternsOf({ hosts: ['a.example', 'a.example'], networks }), [
      { key: 'example.a', pattern: 'a.example' },
      { key: '4/24/cb0071', pattern: '203.0.113.0/24' },
    ]);
  });
});
