import assert from 'node:assert/strict';
import type { Change, SerializedChange } from '../../../src/domain/reports/change.ts';
import type { Positions } from '../../../src/domain/reports/cursor.ts';
import type { DeskStatus } from '../../../src/domain/reports/desk.ts';
import { SECONDS } from '../../../src/domain/reports/extended-report.ts';
import type { ReportFilter } from '../../../src/domain/reports/feed-filter.ts';
import {
  isMisrouted,
  type Report,
  type SerializedReport,
} from '../../../src/domain/reports/report.ts';
import type { ChangesPage, FeedScope } from '../../../src/ports/feed-store.ts';
import type { NewReport } from '../../../src/ports/report-store.ts';
import type { NewAccount, Store } from '../../../src/ports/store.ts';
import { SEALED } from '../../builders.ts';
import {
  audit,
  hex,
  NOW,
  newAccount,
  newReport,
  newService,
  newToken,
  newWebhook,
} from './store-contract.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export const later = (ms: number, from = NOW) => new Date(from.getTime() + ms);

/** The id of a report in its serialized form, in which `testForms` has one. */
export const idIn = (body: string): string => JSON.parse(body).id;

/** Presents a page as it was read, texts as their members. Those have neither reporter nor time. */
export const asRead = <Item>(items: readonly Item[]) =>
  items.map(parseItem) as readonly Exclude<Item, string | SerializedChange>[];

function parseItem(item: unknown): unknown {
  if (typeof item === 'string') return parseText(item);
  const { text, ...change } = item as SerializedChange;
  return text === undefined ? item : { ...change, reportId: idIn(text), report: parseText(text) };
}

function parseText(text: string): Omit<SerializedReport, 'reporterId'> {
  const end = text.indexOf(',"service":');
  const members = JSON.parse(`{${text.slice(end + 1)}`);
  const { misrouted, statusReason, routedTo: route, ...others } = members;
  const routedTo: string | undefined = route ?? undefined;
  assert.equal(misrouted, isMisrouted({ service: others.service, routedTo }));
  assert.equal(statusReason, null);
  return {
    ...others,
    body: `${text.slice(0, end)}}`,
    statusReason: undefined,
    routedTo,
  };
}

interface ReportKey {
  readonly service: string;
  readonly id: string;
}

export interface ReadReport {
  readonly report: Report;
  readonly fetched: Awaited<ReturnType<Store['reports']['fetch']>>;
}

/** Creates feeds, accounts and reports with unique names for the contracts. */
export class FeedRig {
  readonly store: Store;
  /** The default reporter. */
  readonly reporter: NewAccount;

  private constructor(store: Store, reporter: NewAccount) {
    this.store = store;
    this.reporter = reporter;
  }

  static async in(store: Store): Promise<FeedRig> {
    const reporter = newAccount();
    await store.accounts.add(reporter, newToken(), audit);
    return new FeedRig(store, reporter);
  }

  async service(expireAfterDays = 90, confidenceScale = 100): Promise<string> {
    const service = newService({ confidenceScale, expireAfterDays });
    await this.store.services.add(service, audit);
    return service.slug;
  }

  async account(...services: readonly string[]): Promise<NewAccount> {
    const made = newAccount({ services });
    assert.equal(typeof (await this.store.accounts.add(made, newToken(), audit)), 'object');
    return made;
  }

  /** Adds a webhook of an owner of the feed, for new reports. */
  async webhook(service: string): Promise<void> {
    const webhook = newWebhook(service, await this.account(service));
    assert.equal(await this.store.webhooks.add(webhook, SEALED, audit), 'added');
  }

  report(service: string, members: Partial<NewReport> = {}): NewReport {
    const c2 = { host: `${hex(4)}.example`, port: 443 };
    return newReport(service, this.reporter, { c2, ...members });
  }

  async create(service: string, members: Partial<NewReport> = {}): Promise<NewReport> {
    const report = this.report(service, members);
    assert.equal((await this.store.reports.create(report)).kind, 'created');
    return report;
  }

  async find({ service, id }: { service: string; id: string }): Promise<Report> {
    return (await this.store.reports.find(service, id)) ?? assert.fail(`${id} does not exist`);
  }

  delete({ service, id }: { service: string; id: string }, at = NOW) {
    const by = { accountId: this.reporter.id, ownsFeed: true };
    return this.store.reports.delete(service, by, { id, by: 'x', at, reason: '' });
  }

  /** By an owner. */
  async set(
    { service, id }: { service: string; id: string },
    status: DeskStatus,
    at = NOW,
    owner?: NewAccount,
  ) {
    const { id: accountId } = owner ?? (await this.account(service));
    return this.store.feeds.setStatus(
      { service, ids: [id], limit: 1 },
      { accountId, actor: 'desk', at, status, reason: undefined, note: undefined },
    );
  }

  /** All pages of a list, one after the other. */
  async list(
    scope: FeedScope,
    filter: ReportFilter = {},
    {
      order = 'desc' as 'asc' | 'desc',
      limit = 1000,
      read = (key: ReportKey) => this.read(key),
    } = {},
  ): Promise<readonly Report[]> {
    const reports: Report[] = [];
    let after: string | undefined;
    do {
      const page = await this.store.feeds.list({ scope, filter, order, after, limit }, asRead);
      assert.ok(page.reports.length <= limit);
      assert.notEqual(page.next ?? 'none', after, 'a page that goes nowhere');
      // At once, because the reads of a moment share their round trips.
      const found = page.reports.map((one) => read({ service: one.service, id: idIn(one.body) }));
      for (const [index, one] of (await Promise.all(found)).entries()) {
        checkListed(page.reports[index] ?? assert.fail(), one);
        reports.push(one.report);
      }
      after = page.next;
    } while (after !== undefined);
    return reports;
  }

  /** The report with all members, of which a list has some, and its text. */
  async read({ service, id }: ReportKey): Promise<ReadReport> {
    const [report, fetched] = await Promise.all([
      this.find({ service, id }),
      this.store.reports.fetch(service, id),
    ]);
    return { report, fetched };
  }

  async page(
    scope: FeedScope,
    since: Positions,
    limit = 1000,
  ): Promise<ChangesPage<readonly Change[]>> {
    const outcome = await this.store.feeds.changes({ scope, since, limit }, asRead);
    return typeof outcome === 'string' ? assert.fail(outcome) : outcome;
  }

  /** All changes, page by page. */
  async changes(scope: FeedScope, since: Positions = new Map(), limit = 7): Promise<Change[]> {
    const changes: Change[] = [];
    for (let position = since; ; ) {
      const page = await this.page(scope, position, limit);
      assert.ok(page.changes.length <= limit);
      changes.push(...page.changes);
      if (!page.hasMore) return changes;
      position = page.next;
    }
  }
}

function checkListed({ body, ...listed }: SerializedReport, { report, fetched }: ReadReport): void {
  const { updatedAt, expiresAt, ...members } = listed;
  assert.partialDeepStrictEqual(report, members);
  for (const [time, text] of [
    [report.updatedAt, updatedAt],
    [report.expiresAt, expiresAt],
  ] as const)
    assert.equal(time.toISOString().slice(0, SECONDS), text.slice(0, SECONDS));
  assert.equal(fetched, body);
}
