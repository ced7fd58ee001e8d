import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALLOW_LIST, allowListOf } from './allow-list.ts';
import { KnownLists } from './known-lists.ts';
import { LIST_KINDS } from './list-kind.ts';

const SHA256 = '0123456789abcdef'.repeat(4);

function listsOf(lists: Readonly<Record<string, readonly string[]>>): KnownLists {
  const known = new KnownLists();
  for (const [name, entries] of Object.entries(lists)) {
    const kind = LIST_KINDS.find((one) => name.startsWith(one)) ?? 'good';
    known.addEntries(known.addList({ list: name, kind }), entries);
  }
  return known;
}

const namesOf = (known: KnownLists, host: string) => known.ofHost(host).map(({ list }) => list);

describe('known lists', () => {
  it('know a name and the names below it', () => {
    const known = listsOf({ good: ['update.example'] });
    assert.deepEqual(known.ofHost('update.example'), [{ list: 'good', kind: 'good' }]);
    assert.deepEqual(namesOf(known, 'a.b.update.example'), ['good']);
    for (const host of ['example', 'noupdate.example', 'update.example.org', ''])
      assert.deepEqual(namesOf(known, host), [], host);
  });

  it('know a name alone if it is marked', () => {
    const known = listsOf({ good: ['=ns.example'] });
    assert.deepEqual(namesOf(known, 'ns.example'), ['good']);
    assert.deepEqual(namesOf(known, 'a.ns.example'), []);
  });

  it('know the addresses of networks of any length and both versions', () => {
    const known = listsOf({
      good: ['9.9.9.0/24', '9.9.9.9/32'],
      shared: ['9.0.0.0/8', '2620:fe::/48'],
    });
    assert.deepEqual(namesOf(known, '9.9.9.9'), ['good', 'shared']);
    assert.deepEqual(namesOf(known, '9.9.8.9'), ['shared']);
    assert.deepEqual(namesOf(known, '2620:fe::9'), ['shared']);
    assert.deepEqual(namesOf(known, '2620:ff::9'), []);
    assert.deepEqual(namesOf(known, '10.9.9.9'), []);
  });

  it('name every list of a host once, in the order of the lists', () => {
    const known = listsOf({
      shared: ['example.com'],
      good: ['=a.example.com', 'a.example.com', 'example.com'],
      scanner: ['a.example.com', 'a.example.com'],
    });
    assert.deepEqual(namesOf(known, 'a.example.com'), ['shared', 'good', 'scanner']);
  });

  it('know files by their SHA-256', () => {
    const known = listsOf({ good: [SHA256], shared: ['example.com'] });
    assert.deepEqual(known.ofFile(SHA256), [{ list: 'good', kind: 'good' }]);
    assert.deepEqual(known.ofFile('f'.repeat(64)), []);
    const report = { c2: { host: 'example.com' }, sha256: SHA256 };
    assert.deepEqual(
      known.ofReport(report).map(({ list }) => list),
      ['shared', 'good'],
    );
    assert.equal(known.protectionOfFile(SHA256)?.list, 'good');
  });

  it('protect what is good or a sinkhole, and only that', () => {
    const known = listsOf({
      shared: ['s.example', 'both.example'],
      scanner: ['c.example'],
      sinkhole: ['k.example'],
      good: ['both.example'],
    });
    assert.equal(known.protectionOfHost('s.example'), undefined);
    assert.equal(known.protectionOfHost('c.example'), undefined);
    assert.equal(known.protectionOfHost('k.example')?.kind, 'sinkhole');
    assert.equal(known.protectionOfHost('both.example')?.kind, 'good');
  });

  it('protect the names above good ones from being blocked with all below', () => {
    const known = listsOf({
      good: ['a.deb.example', '=b.rpm.example'],
      sinkhole: ['x.sink.example'],
    });
    for (const host of ['deb.example', 'example', 'rpm.example'])
      assert.equal(known.goodBelow(host)?.kind, 'good', host);
    assert.equal(known.goodBelow('a.deb.example'), undefined);
    assert.equal(known.goodBelow('sink.example'), undefined);
  });

  it('contain the allow list of the server, if there is one', () => {
    const known = allowListOf(['good.example', '9.9.9.9/32']);
    assert.deepEqual(known.ofHost('9.9.9.9'), [{ list: ALLOW_LIST, kind: 'good' }]);
    assert.deepEqual(allowListOf([]).ofHost('9.9.9.9'), []);
  });
});
