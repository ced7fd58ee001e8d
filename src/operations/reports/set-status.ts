import { type Caller, ownsFeed } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { StatusChange } from '../../domain/reports/desk.ts';
import type { ReportFilter } from '../../domain/reports/feed-filter.ts';
import type { Report } from '../../domain/reports/report.ts';
import type { Service } from '../../domain/reports/service.ts';
import type { StatusChangeRequest, StatusOutcome, StatusTarget } from '../../ports/feed-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { showReport } from './show-report.ts';

/** Reports that share a transaction: large enough to pay one flush for many, short enough to let others write. */
const CHUNK = 200;

type DeskChange = Omit<StatusChangeRequest, 'at'>;

/** Who answers, in whose feed. */
export interface Desk {
  readonly caller: Caller;
  readonly service: Service;
}

/** What the desk of a service answers to one report. It is told what became of it. */
export async function setStatus(
  deps: Dependencies,
  desk: Desk,
  id: string,
  change: StatusChange,
): Promise<Report> {
  const audit = actOf(desk, change);
  const target = { service: desk.service.slug, ids: [id], limit: 1 };
  const { absent } = await setSome(deps, target, audit);
  if (absent.length > 0) throw new Problem('unknown_report');
  return showReport(deps, desk.service, id);
}

export interface StatusesSet {
  readonly changed: number;
  /** Those of the ids that are in no report of the feed. */
  readonly absent: readonly string[];
}

/**
 * The same for many, by their ids or whatever fits a filter. Each report is changed whole, but not all of them at
 * once: whoever is cut off can simply send it again.
 */
export async function setStatuses(
  deps: Dependencies,
  desk: Desk,
  which: readonly string[] | ReportFilter,
  change: StatusChange,
): Promise<StatusesSet> {
  const audit = actOf(desk, change);
  const service = desk.service.slug;
  return isList(which)
    ? setListed(deps, service, which, audit)
    : setFitting(deps, service, which, audit);
}

async function setListed(
  deps: Dependencies,
  service: string,
  listed: readonly string[],
  audit: DeskChange,
): Promise<StatusesSet> {
  const ids = [...new Set(listed)];
  const absent: string[] = [];
  let changed = 0;
  for (let start = 0; start < ids.length; start += CHUNK) {
    const chunk = ids.slice(start, start + CHUNK);
    const outcome = await setSome(deps, { service, ids: chunk, limit: CHUNK }, audit);
    changed += outcome.changed;
    absent.push(...outcome.absent);
  }
  return { changed, absent };
}

async function setFitting(
  deps: Dependencies,
  service: string,
  filter: ReportFilter,
  audit: DeskChange,
): Promise<StatusesSet> {
  let changed = 0;
  let after: string | undefined;
  do {
    const outcome = await setSome(deps, { service, filter, after, limit: CHUNK }, audit);
    changed += outcome.changed;
    after = outcome.next;
  } while (after !== undefined);
  return { changed, absent: [] };
}

async function setSome(
  deps: Dependencies,
  target: StatusTarget,
  audit: DeskChange,
): Promise<StatusOutcome> {
  // The time is read for each unit: a token or an account may expire while a long change is under way.
  const outcome = await deps.store.feeds.setStatus(target, { ...audit, at: deps.now() });
  if (outcome === 'token-ended') throw new Problem('token_invalid');
  if (outcome === 'forbidden') throw new Problem('not_owner');
  return outcome;
}

function actOf({ caller, service }: Desk, change: StatusChange): DeskChange {
  // Known at once; the statement that changes a report checks it again.
  if (!ownsFeed(caller, service.slug)) throw new Problem('not_owner');
  return {
    ...change,
    accountId: caller.accountId,
    actor: caller.name,
    tokenId: caller.tokenId,
  };
}

function isList(which: readonly string[] | ReportFilter): which is readonly string[] {
  return Array.isArray(which);
}
