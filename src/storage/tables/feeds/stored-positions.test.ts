import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openMemoryDatabase } from '../../../../test/empty-store.ts';
import { Statements } from '../../sqlite/statements.ts';
import {
  deleteUnusedPositions,
  findPositions,
  storePositions,
  touchPositions,
} from './stored-positions.ts';

const at = (hours: number) => new Date(Date.UTC(2026, 7, 26, hours));
const positions = (sequence: number) => new Map([['ply', sequence]]);

describe('stored positions', () => {
  /** Three positions of five characters each. */
  const ROOM = 15;

  it('are limited in size, and keep entries used within a day when they are full', () => {
    const statements = new Statements(openMemoryDatabase());
    const keep = (sequence: number, hours: number) =>
      statements.perform(storePositions(positions(sequence), at(hours), ROOM))?.digest;
    const [first = '', second = '', third] = [keep(1, 0), keep(2, 1), keep(3, 2)];
    assert.ok(third);
    assert.equal(keep(4, 20), undefined, 'there is no room');
    assert.equal(keep(1, 20), first, 'stored positions need no room');
    assert.ok(keep(4, 26), 'one row was not used for a day');
    const find = (digest: string) => statements.perform(findPositions(digest, at(26)));
    assert.deepEqual(find(first)?.base.positions, positions(1));
    assert.equal(find(second), undefined);
  });

  it('are deleted a few at a time when they were not used', () => {
    const statements = new Statements(openMemoryDatabase());
    const digests = [1, 2, 3, 4].map(
      (sequence) => statements.perform(storePositions(positions(sequence), at(0)))?.digest ?? '',
    );
    const [used = ''] = digests;
    assert.deepEqual(
      [0, 1].map((hours) => statements.perform(findPositions(used, at(hours)))?.isTouchDue),
      [false, true],
    );
    statements.perform(touchPositions(used, at(5)));
    const forget = () => statements.perform(deleteUnusedPositions(at(3), 2));
    assert.deepEqual([forget(), forget(), forget()], [2, 1, 0]);
    assert.ok(statements.perform(findPositions(used, at(6))));
  });
});
