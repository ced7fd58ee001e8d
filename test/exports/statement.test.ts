import assert from 'node:assert/strict';
import type { SQLInputValue } from 'node:sqlite';
import { describe, it } from 'node:test';
import type { ReportFilter } from '../../src/domain/reports/feed-filter.ts';
import type { SnapshotQuery } from '../../src/ports/feed-snapshots.ts';
import { snapshotStatement } from '../../src/storage/snapshots/snapshot-statement.ts';
import { queryBuilder } from '../../src/storage/sqlite/query-builder.ts';
import { openMemoryDatabase } from '../empty-store.ts';

const db = openMemoryDatabase();

function planOf(
  filter: ReportFilter,
  serviceId: number | undefined,
  order: SnapshotQuery['order'] = 'creation',
): string {
  const options = { db: queryBuilder, dialect: 'sqlite', serviceId } as const;
  const { sql, parameters } = snapshotStatement({ filter, order }, options);
  const lines = db.prepare(`explain query plan ${sql}`).all(...(parameters as SQLInputValue[]));
  return lines.map(({ detail }) => detail).join('\n');
}

const BY_INDEX: readonly (readonly [string, ReportFilter])[] = [
  ['report_file', { sha256: 'ab'.repeat(32) }],
  ['report_c2', { host: 'a.example', port: 1 }],
  ['report_c2', { host: 'a.example' }],
  ['report_c2', { host: 'a.example', status: 'open' }],
  ['sqlite_autoindex_report_tag_1|PRIMARY KEY', { tags: ['a', 'b'] }],
  ['report_reporter', { reporter: 'alice' }],
  ['report_name', { name: 'LANTERN' }],
  ['report_time', { createdAfter: new Date(0) }],
  ['report_status', { status: 'expired' }],
];

describe('the statement of a snapshot', () => {
  for (const [index, filter] of BY_INDEX)
    for (const serviceId of filter.status === 'expired' ? [1] : [1, undefined])
      it(`uses ${index} for ${Object.keys(filter)} of ${serviceId === undefined ? 'all feeds' : 'a feed'}`, () => {
        const plan = planOf(filter, serviceId);
        assert.match(plan, new RegExp(`USING (?:COVERING )?(?:INDEX )?(?:${index})`));
        assert.doesNotMatch(plan, /^SCAN report/m);
      });

  it('merges a whole feed without a sort', () => {
    const plan = planOf({ minConfidence: 5 }, 1);
    assert.match(plan, /MERGE \(UNION ALL\)/);
    assert.doesNotMatch(plan, /SCAN|TEMP B-TREE|INTEGER PRIMARY KEY/);
  });

  it('reads a feed by address in the order of its index', () => {
    const plan = planOf({}, 1, 'address');
    assert.match(plan, /report_c2/);
    assert.doesNotMatch(plan, /TEMP B-TREE/);
  });

  it('reads all feeds in the order of the table', () => {
    assert.match(
      planOf({}, undefined),
      /^SCAN report\nCORRELATED SCALAR SUBQUERY 1\nSEARCH rejection USING PRIMARY KEY \(.*\)$/,
    );
  });
});
