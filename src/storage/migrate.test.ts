import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Migration, pendingMigrations, readMigrations } from './migrate.ts';

const known: readonly Migration[] = ['0001-a', '0002-b', '0003-c'].map((name) => ({
  name,
  sql: `-- ${name}`,
}));

describe('migrations', () => {
  it('are all to be applied to an empty store', () => {
    assert.deepEqual(pendingMigrations(known, []), known);
  });

  it('are applied once', () => {
    assert.deepEqual(pendingMigrations(known, ['0001-a', '0002-b']), known.slice(2));
    assert.deepEqual(pendingMigrations(known, ['0001-a', '0002-b', '0003-c']), []);
  });

  it('of a newer version are refused', () => {
    assert.throws(
      () => pendingMigrations(known, ['0001-a', '0004-d', '0005-e']),
      /written by a newer Rapsheet \(it has 0004-d, 0005-e\)/,
    );
  });

  it('are read in the order of their numbers', () => {
    const names = readMigrations('sqlite').map(({ name }) => name);
    assert.ok(names.length > 0);
    assert.deepEqual(names, names.toSorted());
  });

  it('are read with their name and their statements', () => {
    const [first] = readMigrations('sqlite');
    assert.equal(first?.name, '0001-accounts');
    assert.match(first.sql, /create table account/);
  });
});
