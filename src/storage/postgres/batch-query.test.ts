import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OperationNodeSource, sql } from 'kysely';
import { Parameter } from '../query-builder.ts';
import { batchQuery } from './batch-query.ts';
import { queryBuilder } from './query-builder.ts';

const parameter = (name: string) => new Parameter(name) as never;

/** The statement, and what it binds: the names of parameters, and constants. */
function compile(query: OperationNodeSource, types: Readonly<Record<string, string>>) {
  const batch = batchQuery(query.toOperationNode(), new Map(Object.entries(types)));
  const { sql: text, parameters } = batch.compile(queryBuilder);
  const bound = parameters.map((value) => (value instanceof Parameter ? value.name : { value }));
  return { text, bound };
}

describe('a query for a list of values', () => {
  it('selects by index for each of them', () => {
    const query = queryBuilder
      .selectFrom('service')
      .select('slug')
      .where('id', '=', parameter('id'))
      .where('name', '=', parameter('name'));
    assert.deepEqual(compile(query, { id: 'bigint', name: 'text' }), {
      text: 'select batch."#", result.* from unnest($1::bigint[], $2::text[]) with ordinality as batch(p1, p2, "#") cross join lateral (select "slug" from "service" where "id" = "batch"."p1" and "name" = "batch"."p2" offset 0) as result order by batch."#"',
      bound: ['id', 'name'],
    });
  });

  it('inserts all of them, expressions included, and keeps the conflict clause', () => {
    const query = queryBuilder
      .insertInto('search_term')
      .values({
        text: parameter('text'),
        service_id: sql<number>`coalesce(${parameter('service')}, (1))`,
        folded: 'constant',
      })
      .onConflict((conflict) => conflict.doNothing());
    assert.deepEqual(compile(query, { text: 'text', service: 'bigint' }), {
      text: 'insert into "search_term" ("text", "service_id", "folded") select "batch"."p1", coalesce("batch"."p2", (1)), $1 from unnest($2::text[], $3::bigint[]) as batch(p1, p2) on conflict do nothing',
      bound: [{ value: 'constant' }, 'text', 'service'],
    });
  });

  it('inserts values that are all parameters or constants', () => {
    const values = { text: parameter('text'), service_id: 7, folded: parameter('text') };
    const query = queryBuilder.insertInto('search_term').values(values);
    assert.deepEqual(compile(query, { text: 'text' }), {
      text: 'insert into "search_term" ("text", "service_id", "folded") select "batch"."p1", $1, "batch"."p1" from unnest($2::text[]) as batch(p1)',
      bound: [{ value: 7 }, 'text'],
    });
  });

  it('updates and deletes by the condition of the statement, not by one of a subquery', () => {
    const update = queryBuilder
      .updateTable('account')
      .set({ name: sql<string>`(select 1 where true)` })
      .where('id', '=', parameter('id'));
    assert.deepEqual(compile(update, { id: 'text' }), {
      text: 'update "account" set "name" = (select 1 where true) from unnest($1::text[]) as batch(p1) where "id" = "batch"."p1"',
      bound: ['id'],
    });
    const remove = queryBuilder.deleteFrom('account').where('id', '=', parameter('id'));
    assert.deepEqual(compile(remove, { id: 'text' }), {
      text: 'delete from "account" using unnest($1::text[]) as batch(p1) where "id" = "batch"."p1"',
      bound: ['id'],
    });
  });

  it('returns the rows of an update with the number of their element', () => {
    const update = queryBuilder
      .updateTable('account')
      .set({ quota_used: sql<number>`quota_used + ${parameter('units')}` })
      .where('id', '=', parameter('id'))
      .returning('quota_used');
    assert.deepEqual(compile(update, { units: 'integer', id: 'text' }), {
      text: 'update "account" set "quota_used" = quota_used + "batch"."p1" from unnest($1::integer[], $2::text[]) with ordinality as batch(p1, p2, "#") where "id" = "batch"."p2" returning "quota_used", "batch"."#"',
      bound: ['units', 'id'],
    });
  });

  it('may be a select that is written as text', () => {
    const query = sql`
      select count(*) from service where id = ${parameter('id')}`;
    assert.match(
      compile(query, { id: 'bigint' }).text,
      /cross join lateral \(\s*select count\(\*\) from service where id = "batch"\."p1" offset 0\) as/,
    );
  });

  it('locks the rows that it selects', () => {
    const query = queryBuilder
      .selectFrom('account')
      .select('name')
      .where('id', '=', parameter('id'))
      .limit(1)
      .forUpdate();
    assert.match(compile(query, { id: 'text' }).text, / limit \$2 offset 0 for update\) as result/);
  });

  it('is refused where the result would be wrong', () => {
    const values = { text: parameter('text'), service_id: 7, folded: '' };
    const insert = queryBuilder.insertInto('search_term').values(values);
    assert.throws(() => compile(insert.returning('id'), { text: 'text' }), /no order/);
    const update = queryBuilder.updateTable('account').set({ name: parameter('name') });
    assert.throws(() => compile(update, { name: 'text' }), /needs a condition/);
    const two = queryBuilder.insertInto('search_term').values([values, values]);
    assert.throws(() => compile(two, { text: 'text' }), /exactly one row/);
    assert.throws(() => compile(sql`vacuum`, {}), /cannot run for a list of values/);
  });
});
