import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allowListOf } from '../lists/allow-list.ts';
import { KnownLists } from '../lists/known-lists.ts';
import { parentsOf } from './host-names.ts';
import { hostOfUrl, IndicatorHosts } from './indicator-hosts.ts';

function check(
  hosts: Readonly<Record<string, string | undefined>>,
  { allowed = [] as readonly string[], baseUrl = '' } = {},
): void {
  const indicators = new IndicatorHosts({ lists: allowListOf(allowed), baseUrl });
  for (const [host, protection] of Object.entries(hosts))
    assert.equal(indicators.protection(host), protection, host);
}

describe('hosts of indicators', () => {
  it('are no private, reserved or documentation addresses', () => {
    check({
      '127.0.0.1': 'reserved',
      '0.0.0.0': 'reserved',
      '255.255.255.255': 'reserved',
      '10.1.2.3': 'reserved',
      '169.254.169.254': 'reserved',
      '203.0.113.7': 'reserved',
      '::': 'reserved',
      '::1': 'reserved',
      '::ffff:7f00:1': 'reserved',
      'fe80::1': 'reserved',
      '2001:db8::1': 'reserved',
      '45.1.2.3': undefined,
      '2a01:4f8::1': undefined,
    });
  });

  it('have a dot and are no names of a local network', () => {
    check({
      com: 'local-name',
      localhost: 'local-name',
      'a.localhost': 'local-name',
      'printer.lan': 'local-name',
      'metadata.google.internal': 'local-name',
      '1.0.0.127.in-addr.arpa': 'local-name',
      'evil.example': undefined,
    });
  });

  it('and files are not known to be good or a sinkhole', () => {
    const [good, scanner] = ['ab'.repeat(32), 'cd'.repeat(32)];
    const lists = new KnownLists();
    lists.addEntries(lists.addList({ list: 'known', kind: 'good' }), ['good.example', good]);
    lists.addEntries(lists.addList({ list: 'sunk', kind: 'sinkhole' }), ['45.1.2.0/24']);
    lists.addEntries(lists.addList({ list: 'scans', kind: 'scanner' }), ['scan.example', scanner]);
    const indicators = new IndicatorHosts({ lists, baseUrl: '' });
    assert.equal(indicators.protection('a.good.example'), 'known-good');
    assert.equal(indicators.protection('45.1.2.3'), 'sinkhole');
    assert.equal(indicators.protection('scan.example'), undefined);
    assert.equal(indicators.protectsFile(good), true);
    assert.equal(indicators.protectsFile(scanner), false);
  });

  it('are no public suffixes, of registries or of companies', () => {
    check({
      'co.uk': 'public-suffix',
      'github.io': 'public-suffix',
      'eu-west-1.compute.amazonaws.com': 'public-suffix',
      'evil.github.io': undefined,
      'evil.co.uk': undefined,
    });
  });

  it('are not allowed by the operator, below an allowed name or in an allowed network', () => {
    const allowed = ['good.example', '9.9.9.9/32', '45.1.2.0/24'];
    check(
      {
        'good.example': 'allow-list',
        'www.good.example': 'allow-list',
        'notgood.example': undefined,
        '9.9.9.9': 'allow-list',
        '9.9.9.10': undefined,
        '45.1.2.3': 'allow-list',
        '45.1.3.3': undefined,
      },
      { allowed },
    );
  });

  it('are not the host of this server', () => {
    check(
      { 'rapsheet.example': 'own-server', 'sub.rapsheet.example': undefined },
      { baseUrl: 'https://rapsheet.example' },
    );
    check({ '2a01:4f8::1': 'own-server' }, { baseUrl: 'http://[2a01:4f8::1]:8080' });
    assert.equal(hostOfUrl('not a URL'), '');
  });

  it('are asked about again without another answer', () => {
    const hosts = new IndicatorHosts({ lists: allowListOf([]), baseUrl: '' });
    for (const host of ['127.0.0.1', '127.0.0.1', 'evil.example', 'evil.example', '127.0.0.1'])
      assert.equal(hosts.protection(host), host === '127.0.0.1' ? 'reserved' : undefined);
  });
});

describe('the parents of a host', () => {
  it('are the names above it, and none of an address', () => {
    assert.deepEqual(parentsOf('a.b.c'), ['b.c', 'c']);
    assert.deepEqual(parentsOf('1.2.3.4'), []);
    assert.deepEqual(parentsOf('::1'), []);
  });
});
