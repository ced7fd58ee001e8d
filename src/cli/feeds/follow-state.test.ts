import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { FollowState } from './follow-state.ts';

describe('the state of a follower', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-state-'));
  after(() => rmSync(folder, { recursive: true }));

  it('is read from its file', async () => {
    const file = join(folder, 'ply.json');
    const state = new FollowState(file, 'ply');
    assert.equal(state.position, undefined);
    state.save('17');
    await state.flush();
    assert.equal(new FollowState(file, 'ply').position, '17');
    assert.equal(readFileSync(file, 'utf8'), '{"feed":"ply","position":"17"}\n');
    assert.ok(!readdirSync(folder).includes('ply.json.new'));
  });

  it('ends with the last position, even if many were saved during one write', async () => {
    const file = join(folder, 'many.json');
    const state = new FollowState(file, 'all');
    for (let number = 1; number <= 1000; number += 1) state.save(String(number));
    await state.flush();
    assert.equal(new FollowState(file, 'all').position, '1000');
  });

  it('can be saved again after a flush', async () => {
    const file = join(folder, 'twice.json');
    const state = new FollowState(file, 'ply');
    for (const position of ['1', '2']) {
      state.save(position);
      await state.flush();
      assert.equal(new FollowState(file, 'ply').position, position);
    }
  });

  it('is only in memory without a file', async () => {
    const state = new FollowState(undefined, 'ply');
    state.save('3');
    await state.flush();
    assert.equal(state.position, '3');
  });

  it('is refused for another feed', () => {
    const file = join(folder, 'other.json');
    writeFileSync(file, '{"feed":"ply","position":"5"}');
    assert.throws(() => new FollowState(file, 'all'), /is the state of the feed "ply"/);
  });

  it('is refused if the file has other content or cannot be read', () => {
    for (const text of ['', '17', 'null', '{"feed":"ply","position":17}', '{"feed":"ply"']) {
      const file = join(folder, 'odd.json');
      writeFileSync(file, text);
      assert.throws(
        () => new FollowState(file, 'ply'),
        /is not a state file of this command/,
        text,
      );
    }
    assert.throws(() => new FollowState(folder, 'ply'), /cannot be read/);
  });

  it('is refused if its folder is missing', () => {
    const file = join(folder, 'absent', 'ply.json');
    assert.throws(() => new FollowState(file, 'ply'), /there is no folder .*absent$/);
  });

  it('reports a failed write', async () => {
    const removed = mkdtempSync(join(folder, 'removed-'));
    const state = new FollowState(join(removed, 'ply.json'), 'ply');
    rmSync(removed, { recursive: true });
    state.save('1');
    await assert.rejects(state.flush(), /the state could not be written/);
    assert.throws(() => state.save('2'), /the state could not be written/);
  });
});
