import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { StatusChange } from '../../domain/reports/desk.ts';
import type { ReportFilter } from '../../domain/reports/feed-filter.ts';
import type { Report } from '../../domain/reports/report.ts';
import type { Service } from '../../domain/services/service.ts';
import type { StatusChangeRequest, StatusOutcome, StatusTarget } from '../../ports/feed-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { requireOwner } from '../permission.ts';
import { findReport } from './show-report.ts';

/**
 * Reports that share a transaction: enough to spread the cost of a flush, few enough not to block
 * other writers for long.
 */
const CHUNK_SIZE = 200;

type DeskChange = Omit<StatusChangeRequest, 'at'>;

/** The caller who answers for a service. */
export interface Desk {
  readonly caller: Caller;
  readonly service: Service;
}

/** Sets the status of one report on behalf of the abuse desk. Returns the changed report. */
export async function setStatus(
  deps: Dependencies,
  desk: Desk,
  id: string,
  change: StatusChange,
): Promise<Report> {
  const deskChange = deskChangeOf(desk, change);
  const target = { service: desk.service.slug, ids: [id], limit: 1 };
  const { absent } = await setChunk(deps, target, deskChange);
  if (absent.length > 0) throw new Problem('unknown_report');
  return findReport(deps, desk.service, id);
}

export interface StatusesSet {
  readonly changed: number;
  /** The ids of which the feed has no report. */
  readonly absent: readonly string[];
}

/**
 * Sets the status of many reports, by their ids or by a filter. Chunks of reports are committed
 * separately, so a client that is disconnected repeats the call.
 */
export async function setStatuses(
  deps: Dependencies,
  desk: Desk,
  which: readonly string[] | ReportFilter,
  change: StatusChange,
): Promise<StatusesSet> {
  const deskChange = deskChangeOf(desk, change);
  const service = desk.service.slug;
  return isList(which)
    ? setListed(deps, service, which, deskChange)
    : setMatching(deps, service, which, deskChange);
}

async function setListed(
  deps: Dependencies,
  service: string,
  listed: readonly string[],
  change: DeskChange,
): Promise<StatusesSet> {
  const ids = [...new Set(listed)];
  const absent: string[] = [];
  let changed = 0;
  for (let start = 0; start < ids.length; start += CHUNK_SIZE) {
    const chunk = ids.slice(start, start + CHUNK_SIZE);
    const outcome = await setChunk(deps, { service, ids: chunk, limit: CHUNK_SIZE }, change);
    changed += outcome.changed;
    absent.push(...outcome.absent);
  }
  return { changed, absent };
}

async function setMatching(
  deps: Dependencies,
  service: string,
  filter: ReportFilter,
  change: DeskChange,
): Promise<StatusesSet> {
  let changed = 0;
  let after: string | undefined;
  do {
    const outcome = await setChunk(deps, { service, filter, after, limit: CHUNK_SIZE }, change);
    changed += outcome.changed;
    after = outcome.next;
  } while (after !== undefined);
  return { changed, absent: [] };
}

async function setChunk(
  deps: Dependencies,
  target: StatusTarget,
  change: DeskChange,
): Promise<StatusOutcome> {
  // Each chunk reads the clock: the token or the account may expire during a long change.
  const outcome = await deps.store.feeds.setStatus(target, { ...change, at: deps.now() });
  if (outcome === 'token-ended') throw new Problem('token_invalid');
  if (outcome === 'forbidden') throw new Problem('not_owner');
  return outcome;
}

function deskChangeOf({ caller, service }: Desk, change: StatusChange): DeskChange {
  // Fails early; the statement that changes a report checks it again.
  requireOwner(caller, service);
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
