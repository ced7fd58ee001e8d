import { createHash } from 'node:crypto';
import type { Caller } from '../../domain/accounts/caller.ts';
import { requireRole } from '../../domain/accounts/require-role.ts';
import { Problem } from '../../domain/problem.ts';
import { formatC2Address } from '../../domain/reports/c2-address.ts';
import { distinctTags, type ReportDraft } from '../../domain/reports/report.ts';
import { defaultConfidence, type Service } from '../../domain/services/service.ts';
import type { CreateOutcome, NewReport, RetryKey } from '../../ports/report-store.ts';
import { type Dependencies, newId } from '../dependencies.ts';
import { permissionProblem } from '../permission.ts';

/**
 * Adds a report to a feed. A repeated call with the same retry key gets the answer of the first.
 */
export async function createReport(
  deps: Dependencies,
  caller: Caller,
  service: Service,
  draft: ReportDraft,
  retryKey?: string,
  call: 'api' | 'xarf' = 'api',
): Promise<CreatedReport> {
  requireRole(caller, 'researcher');
  const retry = retryKey === undefined ? undefined : retryOf(call, service.slug, retryKey, draft);
  const source = { caller, service, at: deps.now() };
  const outcome = await deps.store.reports.create(newReport(deps, source, draft, retry));
  if (!('id' in outcome)) throw createProblem(outcome);
  return createdReport(outcome);
}

export interface CreatedReport {
  readonly id: string;
  /** Whether an earlier call created it. */
  readonly replayed: boolean;
  /** Whether the desk of the feed has rejected the C2, so that it stays no indicator. */
  readonly c2Rejected: boolean;
}

export function createdReport(
  outcome: Extract<CreateOutcome, { readonly id: string }>,
): CreatedReport {
  const { id, kind, isC2Rejected = false } = outcome;
  return { id, replayed: kind === 'replayed', c2Rejected: isC2Rejected };
}

/** Why nothing was created. */
export function createProblem(outcome: Exclude<CreateOutcome, { readonly id: string }>): Problem {
  switch (outcome.kind) {
    case 'unknown-service':
      return new Problem('unknown_service');
    case 'refused':
      return permissionProblem(outcome.refusal, 'researcher');
    case 'key-reused':
      return new Problem('idempotency_key_reused');
    case 'proposal-absent':
      return new Problem('unknown_proposal');
    case 'proposal-dismissed':
      return new Problem('proposal_dismissed');
  }
}

/** Who adds a report to which feed, and when. The lines of a group share it. */
export interface ReportSource {
  readonly caller: Caller;
  readonly service: Pick<Service, 'slug' | 'confidenceScale'>;
  readonly at: Date;
}

/** Turns the draft of a caller into the report that is stored. */
export function newReport(
  deps: Dependencies,
  { caller, service, at }: ReportSource,
  draft: ReportDraft,
  retry: RetryKey | undefined,
): NewReport {
  return {
    id: newId(deps, at),
    service: service.slug,
    tags: distinctTags(draft.tags),
    c2: draft.c2,
    sha256: draft.sha256,
    reference: draft.reference ?? deps.resultsPage(draft.sha256),
    confidence: draft.confidence ?? defaultConfidence(service.confidenceScale),
    reporterId: caller.accountId,
    reportedBy: caller.name,
    tokenId: caller.tokenId,
    reportedAt: at,
    retry,
  };
}

/** A retry key is valid for one route of one feed. */
export function retryOf(
  call: 'api' | 'reports' | 'objects' | 'xarf' | 'misp',
  service: string,
  key: string,
  draft: ReportDraft,
): RetryKey {
  // The tags of an event change while it is written, and it is sent again for its new attributes.
  const { c2, sha256 } = draft;
  const compared = call === 'misp' ? { c2, sha256 } : draft;
  return { route: `POST /feed/${service}/${call}`, key, fingerprint: fingerprint(compared) };
}

/** Hashes the parsed draft: a retry may differ in white space and in the order of members. */
function fingerprint(draft: Partial<ReportDraft> & Pick<ReportDraft, 'c2' | 'sha256'>): Buffer {
  const fields = [
    draft.tags,
    formatC2Address(draft.c2),
    draft.sha256,
    draft.reference,
    draft.confidence,
  ];
  return createHash('sha256').update(JSON.stringify(fields)).digest();
}
