import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FollowedChange } from '../../../../src/client/follow.ts';
import type { ExtendedReport } from '../../../../src/client/wire.ts';
import { applyChanges, type NewestList, reconcile, showArrived } from './newest-list.ts';

const report = (id: string, status = 'open') => ({ id, status }) as ExtendedReport;
const reports = (...ids: string[]) => ids.map((id) => report(id));
const change = (type: string, id: string, status?: string) =>
  ({ type, id, ...(type !== 'deleted' && { report: report(id, status) }) }) as FollowedChange;
const idsOf = ({ shown, arrived }: NewestList) => ({
  shown: shown.map(({ id }) => id).join(''),
  arrived: arrived.map(({ id }) => id).join(''),
});

describe('the newest reports', () => {
  const list = { shown: reports('c', 'b', 'a'), arrived: [] };

  it('wait when they are new, and are counted once', () => {
    const next = applyChanges(list, [change('created', 'd'), change('created', 'd')]);
    assert.deepEqual(idsOf(next), { shown: 'cba', arrived: 'd' });
    assert.deepEqual(idsOf(showArrived(next)), { shown: 'dcba', arrived: '' });
  });

  it('are shown at once if there are no others', () => {
    const next = applyChanges({ shown: [], arrived: [] }, [change('created', 'a')]);
    assert.deepEqual(idsOf(next), { shown: 'a', arrived: '' });
  });

  it('are not counted as new if the list has them', () =>
    assert.deepEqual(idsOf(applyChanges(list, [change('created', 'c')])), {
      shown: 'cba',
      arrived: '',
    }));

  it('change where they stand', () => {
    const next = applyChanges(list, [change('status', 'b', 'actioned'), change('deleted', 'a')]);
    assert.deepEqual(next.shown, [report('c'), report('b', 'actioned')]);
  });

  it('ignore changes of older reports', () =>
    assert.equal(applyChanges(list, [change('status', 'x', 'actioned')]), list));

  it('keep what is shown when the list is read again', () => {
    const next = reconcile(list, [report('e'), report('d'), report('c', 'rejected'), report('a')]);
    assert.deepEqual(idsOf(next), { shown: 'ca', arrived: 'ed' });
    assert.equal(next.shown[0]?.status, 'rejected');
  });

  it('are replaced if none of them is among the newest', () =>
    assert.deepEqual(idsOf(reconcile(list, reports('z', 'y'))), { shown: 'zy', arrived: '' }));
});
