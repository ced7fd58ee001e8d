import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fakeDependencies, ply } from '../../../test/fakes.ts';
import type { Report } from '../../domain/reports/report.ts';
import type { StatusEntry } from '../../ports/report-store.ts';
import { reportHistory } from './report-history.ts';

const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour));
const open = {
  status: 'open',
  createdSequence: 1,
  sequence: 1,
  reportedAt: at(0),
  updatedAt: at(0),
};

const entry = (sequence: number, status: StatusEntry['status']): StatusEntry => ({
  at: at(sequence),
  sequence,
  status,
  reason: undefined,
  note: undefined,
  by: 'desk',
});

async function shown(members: Partial<Report>, statuses: readonly StatusEntry[] = []) {
  const report = { ...open, ...members } as Report;
  const history = async () => ({ report, statuses, hasMore: false });
  const { entries } = await reportHistory(fakeDependencies({ reports: { history } }), ply, 'r1');
  return entries.map(({ type, sequence, status, isInferred }) =>
    [type, sequence, status?.status, isInferred].filter((one) => one !== undefined).join(' '),
  );
}

describe('the history of a report', () => {
  it('is its creation and its recorded statuses', async () => {
    assert.deepEqual(await shown({}), ['created 1']);
    const statuses = [entry(2, 'rejected'), entry(4, 'open')];
    assert.deepEqual(await shown({ sequence: 4, updatedAt: at(4) }, statuses), [
      'created 1',
      'updated 2 rejected',
      'updated 4 open',
    ]);
  });

  it('ends with a change of another kind', async () => {
    assert.deepEqual(await shown({ sequence: 9 }), ['created 1', 'updated 9']);
    const members = { sequence: 9, status: 'actioned' } as const;
    assert.deepEqual(await shown(members, [entry(3, 'actioned')]), [
      'created 1',
      'updated 3 actioned',
      'updated 9',
    ]);
  });

  it('infers the last status that was set before statuses were recorded', async () => {
    const members = { sequence: 5, status: 'rejected', statusBy: 'desk' } as const;
    assert.deepEqual(await shown(members), ['created 1', 'updated 5 rejected true']);
  });
});
