import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alice, fakeDependencies, ply } from '../../../test/fakes.ts';
import type { StatusChange } from '../../domain/reports/desk.ts';
import type { Report } from '../../domain/reports/report.ts';
import type {
  FeedStore,
  StatusChangeRequest,
  StatusOutcome,
  StatusTarget,
} from '../../ports/feed-store.ts';
import { setStatus, setStatuses } from './set-status.ts';

const desk = { caller: { ...alice, services: ['ply'] }, service: ply };
const change: StatusChange = { status: 'actioned', reason: 'blocked', note: undefined };

function setUp(outcomes: readonly (StatusOutcome | 'forbidden')[]) {
  const asked: { readonly target: StatusTarget; readonly audit: StatusChangeRequest }[] = [];
  const rest = [...outcomes];
  const setStatus: FeedStore['setStatus'] = async (target, audit) => {
    asked.push({ target, audit });
    return rest.shift() ?? { changed: 0, absent: [], next: undefined };
  };
  const report = { id: 'r1' } as Report;
  const deps = fakeDependencies({ feeds: { setStatus }, reports: { find: async () => report } });
  return { deps, asked, report };
}

const none = { changed: 0, absent: [], next: undefined };

describe('setting the status of a report', () => {
  it('changes it for the account and returns it as it is then', async () => {
    const { deps, asked, report } = setUp([{ ...none, changed: 1 }]);
    assert.equal(await setStatus(deps, desk, 'r1', change), report);
    assert.deepEqual(asked, [
      {
        target: { service: 'ply', ids: ['r1'], limit: 1 },
        audit: { ...change, accountId: 'a1', actor: 'alice', tokenId: 't1', at: deps.now() },
      },
    ]);
  });

  it('is refused for a missing report', async () => {
    const { deps } = setUp([{ ...none, absent: ['r1'] }]);
    await assert.rejects(setStatus(deps, desk, 'r1', change), { code: 'unknown_report' });
  });

  it('is refused to a caller who does not own the feed, without a query', async () => {
    const { deps, asked } = setUp([]);
    const stranger = { ...desk, caller: { ...alice, roles: ['admin' as const] } };
    await assert.rejects(setStatus(deps, stranger, 'r1', change), { code: 'not_owner' });
    await assert.rejects(setStatuses(deps, stranger, ['r1'], change), { code: 'not_owner' });
    assert.deepEqual(asked, []);
  });

  it('is refused to a caller whose ownership has just ended', async () => {
    const { deps } = setUp(['forbidden']);
    await assert.rejects(setStatus(deps, desk, 'r1', change), { code: 'not_owner' });
  });
});

describe('setting the status of many reports', () => {
  it('sets the ids in chunks, each once', async () => {
    const ids = Array.from({ length: 401 }, (_, index) => `r${index}`);
    const { deps, asked } = setUp([
      { ...none, changed: 200 },
      { ...none, changed: 199, absent: ['r300'] },
      { ...none, changed: 1 },
    ]);
    const outcome = await setStatuses(deps, desk, [...ids, 'r0'], change);
    assert.deepEqual(outcome, { changed: 400, absent: ['r300'] });
    assert.deepEqual(
      asked.map(({ target }) => target.ids?.length),
      [200, 200, 1],
    );
  });

  it('continues with a filter while there are more reports', async () => {
    const { deps, asked } = setUp([
      { ...none, changed: 500, next: 'a' },
      // A page of reports that have the status already is a call as well.
      { ...none, changed: 0, next: 'b' },
      { ...none, changed: 3 },
    ]);
    const outcome = await setStatuses(deps, desk, { port: 80 }, change);
    assert.deepEqual(outcome, { changed: 503, absent: [] });
    assert.deepEqual(
      asked.map(({ target }) => target.after),
      [undefined, 'a', 'b'],
    );
  });

  it('passes the current time with each chunk, so that an expired token is refused', async () => {
    const { deps, asked } = setUp([{ ...none, next: 'a' }, { ...none, next: 'b' }, none]);
    let time = 0;
    const now = () => {
      time += 1000;
      return new Date(time);
    };
    await setStatuses({ ...deps, now }, desk, { port: 80 }, change);
    assert.deepEqual(
      asked.map(({ audit }) => audit.at.getTime()),
      [1000, 2000, 3000],
    );
  });
});
