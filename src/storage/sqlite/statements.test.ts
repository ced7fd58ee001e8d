import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openMemoryDatabase } from '../../../test/empty-store.ts';
import { query } from '../units/query.ts';
import { each } from '../units/unit-of-work.ts';
import { Execution } from './execution.ts';
import { Statements } from './statements.ts';

interface Tag {
  readonly tag: string;
  readonly number: number;
}

const insertTag = query<Tag>()((db, parameter) =>
  db
    .insertInto('report_tag')
    .values({ service_id: 7, tag: parameter.tag, number: parameter.number }),
);

const tagsOf = (count: number): readonly Tag[] =>
  Array.from({ length: count }, (_, index) => ({ tag: `tag ${index % 3}`, number: index }));

function setUp() {
  const db = openMemoryDatabase();
  const stored = () =>
    db
      .prepare('select service_id, tag, number from report_tag order by number')
      .all()
      .map((row) => ({ ...row }));
  return { db, stored, statements: new Statements(db) };
}

describe('an insert for each element of a list', () => {
  it('inserts twenty rows with a statement, and the others one by one', () => {
    const { statements, stored } = setUp();
    const tags = tagsOf(45);
    const execution = new Execution(statements, each(insertTag, tags));
    let slices = 1;
    while (!execution.advance(() => true)) slices += 1;
    assert.equal(slices, 2 + 5);
    assert.deepEqual(
      stored(),
      tags.map((one) => ({ service_id: 7, ...one })),
    );
    assert.deepEqual(
      execution.result,
      tags.map(() => []),
    );
  });

  it('fails if a value is missing', () => {
    const { statements, stored } = setUp();
    const tags = [...tagsOf(30), { tag: 'tag' } as Tag];
    assert.throws(() => statements.perform(each(insertTag, [...tags].reverse())), /has no value/);
    assert.deepEqual(stored(), []);
  });
});
