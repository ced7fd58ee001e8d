import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alice, fakeDependencies, ply } from '../../../test/fakes.ts';
import type { ReportStore } from '../../ports/report-store.ts';
import { deleteReport } from './delete-report.ts';

type Outcome = Awaited<ReturnType<ReportStore['delete']>>;

function feed(outcome: Outcome) {
  const asked: Parameters<ReportStore['delete']>[] = [];
  const deps = fakeDependencies({
    reports: {
      async delete(...request) {
        asked.push(request);
        return outcome;
      },
    },
  });
  return { deps, asked };
}

describe('deleting a report', () => {
  it('asks for the report of that feed, as its creator', async () => {
    const { deps, asked } = feed('deleted');
    await deleteReport(deps, alice, ply, 'r1');
    assert.deepEqual(asked, [
      [
        'ply',
        { accountId: 'a1', tokenId: 't1', ownsFeed: false },
        { id: 'r1', by: 'alice', at: deps.now(), reason: 'deleted by its creator' },
      ],
    ]);
  });

  it('asks as an owner of that very feed', async () => {
    const { deps, asked } = feed('deleted');
    await deleteReport(deps, { ...alice, services: ['other', 'ply'] }, ply, 'r1');
    await deleteReport(deps, { ...alice, services: ['other'] }, ply, 'r1');
    assert.deepEqual(
      asked.map(([, by]) => by.ownsFeed),
      [true, false],
    );
  });

  it('does not depend on the role admin', async () => {
    const { deps, asked } = feed('forbidden');
    await assert.rejects(deleteReport(deps, { ...alice, roles: ['admin'] }, ply, 'r1'), {
      code: 'not_creator_or_owner',
    });
    assert.equal(asked[0]?.[1].ownsFeed, false);
  });

  it('of an unknown report is refused', async () => {
    await assert.rejects(deleteReport(feed('absent').deps, alice, ply, 'r1'), {
      code: 'unknown_report',
    });
  });
});
