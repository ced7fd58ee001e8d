import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { manyStatement } from './many.ts';

describe('a statement for many', () => {
  it('asks for each of the arguments in its turn, by the indexes', () => {
    assert.equal(
      manyStatement('select "body" from "sample" where "id" = $1 and "kind" = $2', [
        'bigint',
        'text',
      ]),
      'select given."#", found.* from unnest($1::bigint[], $2::text[]) with ordinality as given(a1, a2, "#") cross join lateral (select "body" from "sample" where "id" = given.a1 and "kind" = given.a2 offset 0) as found order by given."#"',
    );
  });

  it('inserts all of them, whatever is computed on the way, and keeps what is said of conflicts', () => {
    assert.equal(
      manyStatement(
        'insert into "a" ("x", "y") values ($1, coalesce($2, (1))) on conflict do nothing',
        ['text', 'bigint'],
      ),
      'insert into "a" ("x", "y") select given.a1, coalesce(given.a2, (1)) from unnest($1::text[], $2::bigint[]) as given(a1, a2) on conflict do nothing',
    );
  });

  it('changes and deletes by the condition of the statement itself, not by one inside of it', () => {
    assert.equal(
      manyStatement('update "a" set "x" = (select 1 where true) where "id" = $1', ['text']),
      'update "a" set "x" = (select 1 where true) from unnest($1::text[]) as given(a1) where "id" = given.a1',
    );
    assert.equal(
      manyStatement('delete from "a" where "id" = $1', ['text']),
      'delete from "a" using unnest($1::text[]) as given(a1) where "id" = given.a1',
    );
  });

  it('refuses what it could not do rightly', () => {
    assert.throws(
      () => manyStatement('insert into "a" values ($1) returning "id"', ['text']),
      /no order/,
    );
    assert.throws(() => manyStatement('update "a" set "x" = $1', ['text']), /there is no where/);
    assert.throws(() => manyStatement('vacuum', []), /cannot be done for many/);
  });
});
