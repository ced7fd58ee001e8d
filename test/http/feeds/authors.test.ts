import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { until } from '../../until.ts';
import { openRig, type TestAccount, type WireExtended } from '../http-rig.ts';
import { listen } from '../wire.ts';

const rig = await openRig();
const port = await listen(rig);
after(() => rig.close());

interface WireChange {
  readonly type: string;
  readonly id: string;
  readonly deletedBy?: string;
  readonly report?: WireExtended & { readonly statusBy?: string };
}

/** A feed with a reporter, an owner and a reader. */
async function reportedFeed() {
  const service = await rig.service();
  const [reporter, desk, reader] = [
    await rig.researcher(),
    await rig.owner(service),
    await rig.researcher(),
  ];
  const id = await rig.report(service, reporter.token);
  return { service, reporter, desk, reader, id };
}

async function changesFor({ token }: TestAccount, url: string): Promise<readonly WireChange[]> {
  const answer = await rig.ask('GET', url, { token });
  assert.equal(answer.status, 200, answer.text);
  return answer.json['changes'] as readonly WireChange[];
}

/** The events of a stream from the start to the first deletion. */
async function streamed({ token }: TestAccount, service: string): Promise<readonly WireChange[]> {
  const response = await fetch(`http://127.0.0.1:${port}/feed/${service}/stream?since=0`, {
    headers: { authorization: token },
  });
  let text = '';
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString();
    if (/event: deleted\n[\s\S]*\n\n/.test(text)) break;
  }
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
}

describe('a change of the desk', () => {
  it('shows the author only to owners of the feed and to the reporter', async () => {
    const { service, reporter, desk, reader, id } = await reportedFeed();
    const answered = await rig.answer(service, id, desk.token, { status: 'acknowledged' });
    assert.equal((answered.json['report'] as Record<string, unknown>)['statusBy'], desk.name);
    for (const [account, expected] of [
      [desk, desk.name],
      [reporter, desk.name],
      [reader, undefined],
    ] as const) {
      const { token } = account;
      const shown = await rig.ask('GET', `/feed/${service}/reports/${id}`, { token });
      assert.equal((shown.json['report'] as Record<string, unknown>)['statusBy'], expected);
      const listed = await rig.ask('GET', `/feed/${service}/reports`, { token });
      const [report] = listed.json['reports'] as readonly Record<string, unknown>[];
      assert.equal(report?.['statusBy'], expected);
      for (const url of [`/feed/${service}/changes`, '/feed/all/changes?limit=1000']) {
        const changes = await changesFor(account, url);
        const updated = changes.findLast((change) => change.id === id);
        assert.equal(updated?.report?.statusBy, expected);
      }
    }
    // The report keeps the ten fields of the specification.
    assert.equal(Object.keys(await rig.fetched(service, id)).length, 10);
  });

  it('is in the audit log with its author', async () => {
    const { service, desk, id } = await reportedFeed();
    await rig.answer(service, id, desk.token, { status: 'actioned', reason: 'blocked' });
    const [entry] = await rig.audit();
    assert.partialDeepStrictEqual(entry, {
      actor: desk.name,
      action: 'report.status',
      subject: id,
      detail: { service, status: 'actioned', reason: 'blocked', changed: 1 },
    });
    // Setting the same status again is no change.
    await rig.answer(service, id, desk.token, { status: 'actioned', reason: 'blocked' });
    assert.deepEqual((await rig.audit())[0], entry);
  });

  it('of many reports is one entry with their number and the filter', async () => {
    const { service, reporter, desk } = await reportedFeed();
    for (let count = 0; count < 3; count += 1) await rig.report(service, reporter.token);
    const before = (await rig.audit()).length;
    const body = { filter: { status: 'open' }, status: 'rejected', reason: 'not_ours' };
    await rig.ask('PATCH', `/feed/${service}/reports`, { token: desk.token, body });
    const entries = await rig.audit();
    assert.equal(entries.length, before + 1);
    assert.partialDeepStrictEqual(entries[0], {
      actor: desk.name,
      action: 'report.status',
      subject: service,
      detail: { service, status: 'rejected', changed: 4, filter: { status: 'open' } },
    });
  });

  it('of an expiry names no author', async () => {
    const { service, desk, id } = await reportedFeed();
    await rig.answer(service, id, desk.token, { status: 'acknowledged' });
    const inAYear = new Date(rig.clock.now().getTime() + 365 * 86_400_000);
    await until(async () => (await rig.deps.store.feeds.expire(inAYear, 100)) === 0, 'all expired');
    const { token } = desk;
    const shown = await rig.ask('GET', `/feed/${service}/reports/${id}`, { token });
    const report = shown.json['report'] as Record<string, unknown>;
    assert.equal(report['status'], 'expired');
    assert.equal(report['statusBy'], undefined);
  });
});

describe('a deletion', () => {
  for (const who of ['owner', 'creator'] as const) {
    it(`by the ${who} names its author to owners and the reporter, and is in the audit log`, async () => {
      const { service, reporter, desk, reader, id } = await reportedFeed();
      const author = who === 'owner' ? desk : reporter;
      assert.equal((await rig.remove(service, id, author.token)).status, 200);
      const [entry] = await rig.audit();
      assert.partialDeepStrictEqual(entry, {
        actor: author.name,
        action: 'report.delete',
        subject: id,
        detail: { service, as: who, reportedBy: reporter.name },
      });
      for (const [account, expected] of [
        [desk, author.name],
        [reporter, author.name],
        [reader, undefined],
      ] as const) {
        for (const changes of [
          await changesFor(account, `/feed/${service}/changes`),
          await streamed(account, service),
        ])
          assert.equal(changes.find(({ type }) => type === 'deleted')?.deletedBy, expected);
      }
    });
  }
});

describe('a stream that is open', () => {
  it('shows authors only to readers that may see them', async () => {
    const { service, reporter, desk, reader, id } = await reportedFeed();
    const readers = [desk, reporter, reader].map((account) => ({
      account,
      changes: streamed(account, service),
    }));
    const { listeners } = rig.deps.metrics.sources;
    await until(() => (listeners?.() ?? 0) >= readers.length, 'all follow');
    await rig.answer(service, id, desk.token, { status: 'acknowledged' });
    await rig.remove(service, id, desk.token);
    for (const { account, changes } of readers) {
      const deleted = (await changes).find(({ type }) => type === 'deleted');
      assert.equal(deleted?.deletedBy, account === reader ? undefined : desk.name);
    }
  });
});
