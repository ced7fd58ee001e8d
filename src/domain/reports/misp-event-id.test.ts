import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mispEventId } from './misp-event-id.ts';

describe('the id of a MISP event', () => {
  it('depends on the installation, the feed and the day alone', () => {
    const namespace = '0332d448-4c53-8e37-a35e-294e6e0bf24f';
    const id = mispEventId(namespace, 'ply', '2026-11-16');
    assert.equal(id, mispEventId(namespace, 'ply', '2026-11-16'));
    assert.notEqual(id, mispEventId(namespace, 'ply', '2026-11-17'));
    assert.notEqual(id, mispEventId(namespace, 'other', '2026-11-16'));
    assert.notEqual(id, mispEventId('00000000-0000-8000-8000-000000000000', 'ply', '2026-11-16'));
  });
});
