import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../sqlite/open.ts';
import { Statements } from '../../sqlite/statements.ts';
import {
  findPositions,
  forgetPositions,
  keepPositions,
  touchPositions,
} from './stored-positions.ts';

const at = (hours: number) => new Date(Date.UTC(2026, 7, 26, hours));
const positions = (sequence: number) => new Map([['ply', sequence]]);

describe('stored positions', () => {
  /** Room for three, each of which is five characters long. */
  const ROOM = 15;

  it('take up bounded room: where it is full, nothing goes that was used within a day', () => {
    const statements = new Statements(openDatabase(':memory:'));
    const keep = (sequence: number, hours: number) =>
      statements.perform(keepPositions(positions(sequence), at(hours), ROOM))?.digest;
    const [first = '', second = '', third] = [keep(1, 0), keep(2, 1), keep(3, 2)];
    assert.ok(third);
    assert.equal(keep(4, 20), undefined, 'there is no room');
    assert.equal(keep(1, 20), first, 'one that is there needs none');
    assert.ok(keep(4, 26), 'one has not been used for a day');
    const find = (digest: string) => statements.perform(findPositions(digest, at(26)));
    assert.deepEqual(find(first)?.base.positions, positions(1));
    assert.equal(find(second), undefined);
  });

  it('are forgotten when nobody has used them, a few at a time', () => {
    const statements = new Statements(openDatabase(':memory:'));
    const digests = [1, 2, 3, 4].map(
      (sequence) => statements.perform(keepPositions(positions(sequence), at(0)))?.digest ?? '',
    );
    const [used = ''] = digests;
    assert.deepEqual(
      [0, 1].map((hours) => statements.perform(findPositions(used, at(hours)))?.isDue),
      [false, true],
    );
    statements.perform(touchPositions(used, at(5)));
    const forget = () => statements.perform(forgetPositions(at(3), 2));
    assert.deepEqual([forget(), forget(), forget()], [2, 1, 0]);
    assert.ok(statements.perform(findPositions(used, at(6))));
  });
});
