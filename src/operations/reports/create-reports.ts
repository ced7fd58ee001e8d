import type { Caller } from '../../domain/accounts/caller.ts';
import { requireRole } from '../../domain/accounts/require-role.ts';
import type { Problem } from '../../domain/problem.ts';
import type { ReportDraft } from '../../domain/reports/report.ts';
import type { Service } from '../../domain/services/service.ts';
import type { CreateOutcome, NewReport, RetryKey } from '../../ports/report-store.ts';
import type { Dependencies } from '../dependencies.ts';
import {
  type CreatedReport,
  createdReport,
  createProblem,
  newReport,
  retryOf,
} from './create-report.ts';

/** One line of a batch: a draft, or why the line is invalid. */
export type DraftLine =
  | {
      readonly line: number;
      readonly draft: ReportDraft;
      /** The retry key of this line, instead of one that is derived from its number. */
      readonly retryKey?: string;
    }
  | { readonly line: number; readonly problem: Problem };

/** The outcome of one line. */
export type LineResult =
  | ({ readonly line: number } & CreatedReport)
  | { readonly line: number; readonly problem: Problem };

export interface Batch {
  readonly caller: Caller;
  readonly service: Service;
  /** Lines as they arrive. The lines of a group share a transaction. */
  readonly groups: AsyncIterable<readonly DraftLine[]>;
  readonly retryKey: string | undefined;
  /** The kind of body in which they arrive, for which the retry keys are valid. */
  readonly call?: 'reports' | 'objects' | 'misp';
}

/**
 * Adds reports to a feed group by group, and yields the outcome of each line in order. A refused
 * line does not affect the others. With a retry key, each line has a key of its own derived from
 * its number, so a batch that was interrupted can be sent again without duplicates. If the
 * permission of the caller ends, the lines of that group are refused and the batch stops.
 */
export async function* createReports(
  deps: Dependencies,
  batch: Batch,
): AsyncGenerator<readonly LineResult[]> {
  requireRole(batch.caller, 'researcher');
  for await (const group of batch.groups) {
    const { results, isPermitted } = await createGroup(deps, batch, group);
    yield results;
    if (!isPermitted) return;
  }
}

interface GroupResult {
  readonly results: readonly LineResult[];
  /** `false` if the permission of the caller ended before the commit: the batch stops. */
  readonly isPermitted: boolean;
}

async function createGroup(
  deps: Dependencies,
  batch: Batch,
  group: readonly DraftLine[],
): Promise<GroupResult> {
  const { caller, service } = batch;
  const source = { caller, service, at: deps.now() };
  const reports: NewReport[] = [];
  for (const line of group)
    if ('draft' in line)
      reports.push(newReport(deps, source, line.draft, retryOfLine(batch, line)));
  const outcomes = reports.length === 0 ? [] : await deps.store.feeds.createMany(reports);
  let next = 0;
  return {
    results: group.map((line) => ('draft' in line ? toResult(line.line, outcomes[next++]) : line)),
    isPermitted: outcomes.every(({ kind }) => kind !== 'refused'),
  };
}

function retryOfLine(
  { service, retryKey, call = 'reports' }: Batch,
  { line, draft, retryKey: own }: Extract<DraftLine, { readonly draft: ReportDraft }>,
): RetryKey | undefined {
  const key = own ?? (retryKey === undefined ? undefined : `${retryKey}#${line}`);
  return key === undefined ? undefined : retryOf(call, service.slug, key, draft);
}

function toResult(line: number, outcome: CreateOutcome | undefined): LineResult {
  if (outcome === undefined) throw new Error('the store returned no outcome for a report');
  if (!('id' in outcome)) return { line, problem: createProblem(outcome) };
  return { line, ...createdReport(outcome) };
}
