import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { FollowState } from './follow-state.ts';

describe('the state of a follower', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-state-'));
  after(() => rmSync(folder, { recursive: true }));

  it('is read again where it was left', async () => {
    const file = join(folder, 'ply.json');
    const state = new FollowState(file, 'ply');
    assert.equal(state.position, undefined);
    state.keep('17');
    await state.settle();
    assert.equal(new FollowState(file, 'ply').position, '17');
    assert.equal(readFileSync(file, 'utf8'), '{"feed":"ply","position":"17"}\n');
    assert.ok(!readdirSync(folder).includes('ply.json.new'));
  });

  it('ends with the last place, however many came while it was written', async () => {
    const file = join(folder, 'many.json');
    const state = new FollowState(file, 'all');
    for (let number = 1; number <= 1000; number += 1) state.keep(String(number));
    await state.settle();
    assert.equal(new FollowState(file, 'all').position, '1000');
  });

  it('goes on to be kept after it has settled', async () => {
    const file = join(folder, 'twice.json');
    const state = new FollowState(file, 'ply');
    for (const place of ['1', '2']) {
      state.keep(place);
      await state.settle();
      assert.equal(new FollowState(file, 'ply').position, place);
    }
  });

  it('is nowhere without a file', async () => {
    const state = new FollowState(undefined, 'ply');
    state.keep('3');
    await state.settle();
    assert.equal(state.position, '3');
  });

  it('is not taken for that of another feed', () => {
    const file = join(folder, 'other.json');
    writeFileSync(file, '{"feed":"ply","position":"5"}');
    assert.throws(() => new FollowState(file, 'all'), /is the state of the feed "ply"/);
  });

  it('is not made up where the file holds something else', () => {
    for (const text of ['', '17', 'null', '{"feed":"ply","position":17}', '{"feed":"ply"']) {
      const file = join(folder, 'odd.json');
      writeFileSync(file, text);
      assert.throws(() => new FollowState(file, 'ply'), /is not a state of this command/, text);
    }
    assert.throws(() => new FollowState(folder, 'ply'), /cannot be read/);
  });

  it('says where it cannot be kept', async () => {
    const state = new FollowState(join(folder, 'absent', 'ply.json'), 'ply');
    state.keep('1');
    await assert.rejects(state.settle(), /the state could not be written/);
    assert.throws(() => state.keep('2'), /the state could not be written/);
  });
});
