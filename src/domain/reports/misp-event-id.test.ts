import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { uuidV5 } from '../uuid.ts';
import { mispEventId } from './misp-event-id.ts';

const NAMESPACE = '0332d448-4c53-8e37-a35e-294e6e0bf24f';

describe('the id of a MISP event', () => {
  it('depends on the installation, the feed, the day and the part alone', () => {
    const day = '2026-11-16';
    const ids = [
      mispEventId(NAMESPACE, 'ply', { day, part: 1 }),
      mispEventId(NAMESPACE, 'ply', { day, part: 2 }),
      mispEventId(NAMESPACE, 'ply', { day, part: 3 }),
      mispEventId(NAMESPACE, 'ply', { day: '2026-11-17', part: 1 }),
      mispEventId(NAMESPACE, 'other', { day, part: 1 }),
      mispEventId('00000000-0000-8000-8000-000000000000', 'ply', { day, part: 1 }),
    ];
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(mispEventId(NAMESPACE, 'ply', { day, part: 2 }), ids[1]);
  });

  it('is that of the day for the first part', () => {
    const id = mispEventId(NAMESPACE, 'ply', { day: '2026-11-16', part: 1 });
    assert.equal(id, uuidV5(NAMESPACE, 'misp:event:ply:2026-11-16'));
  });
});
