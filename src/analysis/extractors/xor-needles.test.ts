import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unXor } from '../codecs/xor-search.ts';
import { Subject } from '../subject.ts';
import { BEACON_NEEDLES, MIRAI_NEEDLES, xorHits } from './xor-needles.ts';

describe('the search that families share', () => {
  const [beacon = ''] = BEACON_NEEDLES;

  it('gives each family its own needles, with offset and key', () => {
    const hidden = Buffer.concat([
      unXor(Buffer.from(beacon, 'latin1'), 0x2e),
      unXor(Buffer.from('/bin/busybox'), 0x22),
      unXor(Buffer.from('http://'), 0x11),
    ]);
    const subject = new Subject(hidden, 'sample');
    assert.deepEqual(xorHits(subject, BEACON_NEEDLES), [{ needle: beacon, offset: 0, key: 0x2e }]);
    assert.deepEqual(xorHits(subject, MIRAI_NEEDLES), [
      { needle: '/bin/busybox', offset: 14, key: 0x22 },
    ]);
    assert.equal(xorHits(subject).length, 3);
  });

  it('reports an unencoded needle only if its family requires it', () => {
    const subject = new Subject(Buffer.from(`${beacon}/bin/busybox http://`, 'latin1'), 'sample');
    assert.deepEqual(xorHits(subject), [{ needle: beacon, offset: 0, key: 0 }]);
  });

  it('finds a needle after any number of others', () => {
    const decoys = unXor(Buffer.from('/proc/'.repeat(5000)), 3);
    const bytes = Buffer.concat([decoys, unXor(Buffer.from('assword'), 3)]);
    const hits = xorHits(new Subject(bytes, 'sample'), MIRAI_NEEDLES);
    assert.equal(hits.length, 1001);
    assert.equal(hits.at(-1)?.needle, 'assword');
  });

  it('searches a subject once', () => {
    const subject = new Subject(Buffer.from(beacon, 'latin1'), 'sample');
    assert.equal(xorHits(subject), xorHits(subject));
  });
});
