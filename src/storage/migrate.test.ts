import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FIRST_DECLARED, parseOlderNodes, schemaOf } from '../domain/admission.ts';
import { type Migration, ownSchema, pendingMigrations, readMigrations } from './migrate.ts';

const known: readonly Migration[] = ['0001-a', '0002-b', '0003-c'].map((name) => ({
  name,
  sql: `-- ${name}`,
  olderNodes: 'may run',
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

  it('are refused on a store that was moved away', () => {
    assert.throws(() => pendingMigrations(known, ['0001-a', 'moved-away']), /moved to another/);
  });

  it('declare whether older nodes may keep running', () => {
    for (const dialect of ['sqlite', 'postgres'] as const)
      for (const { name, sql } of readMigrations(dialect))
        if (schemaOf(name) >= FIRST_DECLARED)
          assert.ok(
            parseOlderNodes(sql),
            `${dialect}/${name} does not begin with "-- older nodes: may run" or "must stop"`,
          );
  });

  it('declare the same on both databases', () => {
    const declared = (dialect: 'sqlite' | 'postgres') =>
      readMigrations(dialect).map(({ name, olderNodes }) => [name, olderNodes]);
    assert.deepEqual(declared('sqlite'), declared('postgres'));
    assert.equal(ownSchema(), schemaOf(readMigrations('postgres').at(-1)?.name ?? ''));
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
