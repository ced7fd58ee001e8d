import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { baseLists } from './base-lists.ts';
import { ownLists } from './own-lists.ts';

describe('the lists of the package', () => {
  it('have different names and entries of their own', () => {
    const { lists } = ownLists();
    assert.equal(new Set(lists.map(({ list }) => list)).size, lists.length);
    for (const { list, entries } of lists) {
      assert.ok(entries.length > 0, list);
      assert.equal(new Set(entries).size, entries.length, list);
    }
  });

  it('know whom notices and block lists must spare', () => {
    const known = baseLists([]);
    for (const host of ['8.8.8.8', '2620:fe::fe', 'a.root-servers.net', 'registry.npmjs.org'])
      assert.equal(known.protectionOfHost(host)?.kind, 'good', host);
    for (const host of ['deb.debian.org', '10.1.2.3', 'api.ipify.org', 'time.windows.com'])
      assert.equal(known.protectionOfHost(host)?.kind, 'good', host);
  });

  it('call hosts that many share neither good nor bad', () => {
    const known = baseLists([]);
    for (const host of ['github.com', 'a.duckdns.org', 'raw.githubusercontent.com']) {
      assert.deepEqual(
        known.ofHost(host).map(({ kind }) => kind),
        ['shared'],
        host,
      );
      assert.equal(known.protectionOfHost(host), undefined);
    }
  });
});
