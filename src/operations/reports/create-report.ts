import { createHash } from 'node:crypto';
import type { Caller } from '../../domain/accounts/caller.ts';
import { requireRole } from '../../domain/accounts/require-role.ts';
import { Problem } from '../../domain/problem.ts';
import { formatC2Address } from '../../domain/reports/c2-address.ts';
import type { ReportDraft } from '../../domain/reports/report.ts';
import { defaultConfidence, type Service } from '../../domain/reports/service.ts';
import type { NewReport, RetryKey } from '../../ports/report-store.ts';
import { type Dependencies, newId } from '../dependencies.ts';
import { refusedAtCommit } from '../refused-at-commit.ts';

/** Adds a researcher's report to a feed. With a retry key the same call again gets the same answer again. */
export async function createReport(
  deps: Dependencies,
  caller: Caller,
  service: Service,
  draft: ReportDraft,
  retryKey?: string,
): Promise<{ readonly id: string; readonly replayed: boolean }> {
  requireRole(caller, 'researcher');
  const report = newReport(deps, caller, service, draft);
  const retry =
    retryKey === undefined ? undefined : retryOf('api', report.service, retryKey, draft);
  const outcome = await deps.store.reports.create({ ...report, retry });
  if (outcome.kind === 'unknown-service') throw new Problem('unknown_service');
  if (outcome.kind === 'refused') throw refusedAtCommit(outcome.refusal, 'researcher');
  if (outcome.kind === 'key-reused') throw new Problem('idempotency_key_reused');
  return { id: outcome.id, replayed: outcome.kind === 'replayed' };
}

/** What is stored of a draft that its reporter hands in now. */
export function newReport(
  deps: Dependencies,
  caller: Caller,
  service: Service,
  draft: ReportDraft,
): Omit<NewReport, 'retry'> {
  return {
    id: newId(deps),
    service: service.slug,
    tags: draft.tags,
    c2: draft.c2,
    sha256: draft.sha256,
    reference: draft.reference ?? deps.resultsPage(draft.sha256),
    confidence: draft.confidence ?? defaultConfidence(service.confidenceScale),
    reporterId: caller.accountId,
    reportedBy: caller.name,
    tokenId: caller.tokenId,
    reportedAt: deps.now(),
  };
}

/** A key is good for one route of one feed. */
export function retryOf(
  call: 'api' | 'reports',
  service: string,
  key: string,
  draft: ReportDraft,
): RetryKey {
  return { route: `POST /feed/${service}/${call}`, key, fingerprint: fingerprint(draft) };
}

/** Of what the draft means, so that a retry may differ in white space or the order of members. */
function fingerprint(draft: ReportDraft): Buffer {
  const meaning = [
    draft.tags,
    formatC2Address(draft.c2),
    draft.sha256,
    draft.reference,
    draft.confidence,
  ];
  return createHash('sha256').update(JSON.stringify(meaning)).digest();
}
