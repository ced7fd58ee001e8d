import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openMemoryDatabase } from '../../../../test/empty-store.ts';
import { Statements } from '../../sqlite/statements.ts';
import { addService } from '../../transactions/services/add-service.ts';
import { query } from '../../units/query.ts';
import { row, type UnitOfWork } from '../../units/unit-of-work.ts';
import { SearchTerms } from './search-terms.ts';

const NOW = new Date('2026-08-26T10:00:00Z');

const countIndexed = query()((db) =>
  db
    .selectFrom('term_text')
    .innerJoin('search_term', 'search_term.id', 'term_text.rowid')
    .select(({ fn }) => fn.countAll<number>().as('count')),
);

describe('the terms of reports', () => {
  it('are written in as many steps for many new ones as for few', () => {
    const statements = new Statements(openMemoryDatabase());
    const service = { slug: 'ply', name: 'Ply', hosts: [], networks: [], createdAt: NOW };
    const audit = { actor: 'test', at: NOW };
    statements.perform(
      addService({ ...service, confidenceScale: 100, expireAfterDays: 90 }, audit),
    );
    const add = (tags: readonly string[]) =>
      new SearchTerms().add(1, { name: 'unknown', tags, host: 'evil.example' });
    const steps = [
      stepsOf(statements, add(['one', 'two'])),
      stepsOf(statements, add(Array.from({ length: 150 }, (_, index) => `tag ${index}`))),
    ];
    assert.equal(steps[0], steps[1]);
    const indexed = statements.perform(row(countIndexed, {}));
    assert.equal(indexed?.count, 153);
  });
});

function stepsOf(statements: Statements, work: UnitOfWork<void>): number {
  let steps = 0;
  statements.perform(
    (function* (): UnitOfWork<void> {
      for (let result = work.next([]); !result.done; steps += 1)
        result = work.next(yield result.value);
    })(),
  );
  return steps;
}
