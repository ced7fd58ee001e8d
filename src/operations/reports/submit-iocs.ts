import type { Caller } from '../../domain/accounts/caller.ts';
import { requireRole } from '../../domain/accounts/require-role.ts';
import { Problem } from '../../domain/problem.ts';
import type { C2Address } from '../../domain/reports/c2-address.ts';
import type { ReportDraft } from '../../domain/reports/report.ts';
import { feedOfHost } from '../../domain/services/unclaimed.ts';
import type { Dependencies } from '../dependencies.ts';
import { findRoute } from '../services/find-route.ts';
import { findService } from '../services/find-service.ts';
import { createReport } from './create-report.ts';

/** C2s of one file, for a feed or for the feeds that they belong to. */
export interface SubmittedIocs {
  readonly iocs: readonly { readonly text: string; readonly c2: C2Address | undefined }[];
  readonly sha256: string;
  readonly tags: readonly string[];
  readonly reference: string | undefined;
  /** From 0 to 100. */
  readonly confidenceLevel: number | undefined;
  readonly service: string | undefined;
}

export interface SubmissionOutcome {
  readonly created: readonly string[];
  /** Those that name no host with a port, or one that nobody can answer for. */
  readonly ignored: readonly string[];
}

/** Creates a report for each C2. Throws if the caller may not, or if the named feed is unknown. */
export async function submitIocs(
  deps: Dependencies,
  caller: Caller,
  submitted: SubmittedIocs,
): Promise<SubmissionOutcome> {
  requireRole(caller, 'researcher');
  const { sha256, tags, reference, confidenceLevel } = submitted;
  const created: string[] = [];
  const ignored: string[] = [];
  for (const { text, c2 } of submitted.iocs) {
    const service = c2 && (await feedOf(deps, submitted.service, c2));
    if (c2 === undefined || service === undefined) {
      ignored.push(text);
      continue;
    }
    const confidence =
      confidenceLevel === undefined
        ? undefined
        : Math.round((confidenceLevel * service.confidenceScale) / 100);
    const draft: ReportDraft = { tags, c2, sha256, reference, confidence };
    await createReport(deps, caller, service, draft);
    created.push(text);
  }
  return { created, ignored };
}

async function feedOf(deps: Dependencies, named: string | undefined, { host }: C2Address) {
  const slug = named ?? feedOfHost(host, (await findRoute(deps, host))?.service);
  const service = slug === undefined ? undefined : await findService(deps, slug);
  if (named !== undefined && service === undefined) throw new Problem('unknown_service');
  return service;
}
