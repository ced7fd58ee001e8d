import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FollowedChange } from '../../../../src/client/follow.ts';
import type { ExtendedReport, ReportPage } from '../../../../src/client/wire.ts';
import { loadedRows } from './paged-rows.ts';
import { ReportList } from './report-list.ts';

const report = (number: number, status: ExtendedReport['status'] = 'open') =>
  ({ id: `id-${number}`, status }) as ExtendedReport;

const change = (type: FollowedChange['type'], number: number, state?: ExtendedReport) =>
  ({ type, id: `id-${number}`, report: state }) as FollowedChange;

/** A feed of `count` open reports, the newest with the highest number. */
function rig(count: number, keptPages?: number) {
  let feed = Array.from({ length: count }, (_, index) => report(count - index));
  const calls: { cursor: string | undefined; limit: number }[] = [];
  const fetchPage = (cursor: string | undefined, limit: number): Promise<ReportPage> => {
    calls.push({ cursor, limit });
    const start = cursor === undefined ? 0 : feed.findIndex(({ id }) => id === cursor) + 1;
    const reports = feed.slice(start, start + limit);
    const hasMore = start + limit < feed.length;
    const nextCursor = hasMore ? (reports.at(-1)?.id ?? null) : null;
    return Promise.resolve({ reports, nextCursor, hasMore, successful: true });
  };
  const list = new ReportList({
    fetchPage,
    matches: ({ status }) => status === 'open',
    ...(keptPages !== undefined && { keptPages }),
  });
  const edit = (next: (reports: ExtendedReport[]) => ExtendedReport[]) => {
    feed = next(feed);
  };
  return { list, calls, edit };
}

const settled = async () => {
  for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
};

async function scrollToEnd(list: ReportList): Promise<void> {
  while (
    list.state.value.hasMore ||
    list.state.value.rows.at(list.state.value.rows.length - 1) === undefined
  ) {
    const last = list.state.value.rows.length - 1;
    list.show(Math.max(0, last - 30), last);
    await settled();
  }
}

describe('a list of reports', () => {
  it('loads the first page, and some ahead once it is scrolled', async () => {
    const { list, calls } = rig(5000);
    await list.reload();
    list.show(0, 30);
    await settled();
    assert.equal(list.state.value.isLoaded, true);
    assert.deepEqual(calls, [{ cursor: undefined, limit: 100 }]);
    assert.equal(list.state.value.rows.at(0)?.id, 'id-5000');
    list.show(1, 31);
    await settled();
    const { length } = list.state.value.rows;
    assert.ok(length > 800 && length < 2000, `${length} rows`);
  });

  it('loads more if all of the first page is shown', async () => {
    const { list } = rig(5000);
    await list.reload();
    list.show(0, 99);
    await settled();
    assert.equal(list.state.value.rows.length, 600);
  });

  it('has what changed while a page was read', async () => {
    const { list } = rig(3);
    const loading = list.reload();
    list.apply([change('updated', 2, report(2, 'rejected')), change('deleted', 1)]);
    await loading;
    assert.deepEqual(
      loadedRows(list.state.value.rows).map(({ id, status }) => `${id} ${status}`),
      ['id-3 open', 'id-2 rejected'],
    );
  });

  it('keeps few reports however far it is scrolled, and loads them again', async () => {
    const { list } = rig(20_000, 6);
    await list.reload();
    await scrollToEnd(list);
    assert.equal(list.state.value.rows.length, 20_000);
    assert.ok(loadedRows(list.state.value.rows).length <= 6 * 500);
    assert.equal(list.state.value.rows.at(0), undefined);
    list.show(0, 30);
    await settled();
    assert.equal(list.state.value.rows.at(0)?.id, 'id-20000');
    assert.equal(list.state.value.rows.length, 20_000);
  });

  it('leaves out the pages that are passed while one is loaded', async () => {
    const { list, calls } = rig(20_000, 6);
    await list.reload();
    await scrollToEnd(list);
    const loaded = calls.length;
    for (let row = 19_000; row >= 0; row -= 100) list.show(row, row + 30);
    await settled();
    assert.equal(list.state.value.rows.at(0)?.id, 'id-20000');
    assert.ok(calls.length - loaded <= 5, `${calls.length - loaded} pages were loaded`);
  });

  it('counts new reports, and shows them on demand', async () => {
    const { list, edit } = rig(10);
    await list.reload();
    const { rows } = list.state.value;
    list.apply([change('created', 11, report(11)), change('created', 12, report(12, 'rejected'))]);
    assert.equal(list.state.value.arrived, 1);
    assert.equal(list.state.value.rows, rows, 'no row is drawn again');
    edit((feed) => [report(11), ...feed]);
    await list.reload();
    assert.equal(list.state.value.rows.at(0)?.id, 'id-11');
    assert.equal(list.state.value.arrived, 0);
  });

  it('no longer counts a new report that is deleted or changed', async () => {
    const { list } = rig(10);
    await list.reload();
    list.apply([change('created', 11, report(11)), change('created', 12, report(12))]);
    list.apply([change('deleted', 11), change('updated', 12, report(12, 'actioned'))]);
    assert.equal(list.state.value.arrived, 0);
  });

  it('shows changes at once, and notifies once for many', async () => {
    const { list } = rig(300);
    await list.reload();
    list.show(1, 31);
    await settled();
    let notices = 0;
    list.state.subscribe(() => {
      notices += 1;
    });
    list.apply([
      change('updated', 300, report(300, 'actioned')),
      change('updated', 20, report(20, 'rejected')),
      change('deleted', 299),
    ]);
    assert.equal(notices, 1);
    assert.equal(list.state.value.rows.at(0)?.status, 'actioned');
    assert.equal(list.state.value.rows.at(1)?.id, 'id-298');
    assert.equal(list.state.value.rows.length, 299);
  });

  it('has no report twice when a dropped page has become shorter', async () => {
    const { list, edit } = rig(4000, 2);
    await list.reload();
    await scrollToEnd(list);
    edit((feed) => feed.filter(({ id }) => id !== 'id-3990'));
    list.show(0, 30);
    await settled();
    const ids = loadedRows(list.state.value.rows).map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('shows the first report of an empty feed without being asked', async () => {
    const { list, edit } = rig(0);
    await list.reload();
    edit(() => [report(1)]);
    list.apply([change('created', 1, report(1))]);
    await settled();
    assert.equal(list.state.value.rows.at(0)?.id, 'id-1');
  });

  it('says what failed, and tries again', async () => {
    let isDown = true;
    const list = new ReportList({
      fetchPage: () =>
        isDown
          ? Promise.reject(new Error('down'))
          : Promise.resolve({
              reports: [report(1)],
              nextCursor: null,
              hasMore: false,
              successful: true,
            }),
      matches: () => true,
    });
    await list.reload();
    assert.equal((list.state.value.error as Error).message, 'down');
    isDown = false;
    list.retry();
    await settled();
    assert.equal(list.state.value.rows.length, 1);
    assert.equal(list.state.value.error, null);
  });
});
