import { createHash } from 'node:crypto';
import { Problem } from '../../domain/problem.ts';
import { isReference } from '../../domain/reports/report.ts';
import type { Service } from '../../domain/services/service.ts';
import { reportObjectIds } from '../../exports/stix/ids.ts';
import type { DraftLine, LineResult } from '../../operations/reports/create-reports.ts';
import { readDraft } from '../requests/report-lines.ts';
import { type SubmittedObject, versionText } from './envelope.ts';
import type { SubmittedReport, Verdict } from './sort-envelope.ts';

/** Reports that share a transaction. */
const GROUP_SIZE = 100;
/** A status repeats it for each object. */
const MAX_MESSAGE_LENGTH = 300;

/**
 * The reports of an envelope as lines of a batch. Their numbers are indexes of the list. Ends early
 * if the client disconnects.
 */
export async function* toGroups(
  reports: readonly SubmittedReport[],
  service: Service,
  isDisconnected: () => boolean,
): AsyncGenerator<readonly DraftLine[]> {
  for (let start = 0; start < reports.length && !isDisconnected(); start += GROUP_SIZE)
    yield reports
      .slice(start, start + GROUP_SIZE)
      .map((report, index) => toLine(report, start + index, service));
}

function toLine(report: SubmittedReport, line: number, { confidenceScale }: Service): DraftLine {
  const { host, port, sha256, objects } = report;
  const labels = [...new Set(objects.flatMap((object) => object.labels ?? []))];
  const confidence = objects.find((object) => object.confidence !== undefined)?.confidence;
  const reference = objects.map(referenceOf).find((url) => url !== undefined);
  try {
    const draft = readDraft(
      {
        c2Address: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
        file256Hash: sha256,
        tags: labels,
        ...(reference !== undefined && { referenceLink: reference }),
        ...(confidence !== undefined && {
          confidenceScore: Math.round((confidence * confidenceScale) / 100),
        }),
      },
      confidenceScale,
    );
    return { line, draft, retryKey: keyOf(report) };
  } catch (problem) {
    if (problem instanceof Problem) return { line, problem };
    throw problem;
  }
}

/** The first URL of a source without an id: one with an id is the report itself, elsewhere. */
function referenceOf({ external_references: references = [] }: SubmittedObject) {
  return references.find(
    ({ url, external_id: id }) => id === undefined && url !== undefined && isReference(url),
  )?.url;
}

/** The same objects, sent again, are the same report. */
function keyOf({ objects }: SubmittedReport): string {
  const versions = objects.map((object) => [object.id, versionText(object)]);
  return createHash('sha256').update(JSON.stringify(versions)).digest('hex');
}

/** What became of the indicators of the reports that were tried. */
export function verdictsOf(
  reports: readonly SubmittedReport[],
  results: readonly LineResult[],
  namespace: string,
): readonly Verdict[] {
  const verdicts = new Map<SubmittedObject, Verdict>();
  const published = new Map<SubmittedObject, string[]>();
  for (const [index, report] of reports.entries()) {
    const result = results[index];
    for (const object of report.objects) {
      const verdict = toVerdict(object, result);
      // An indicator of a file may belong to several of C2s: it is accepted with one of them.
      if (verdict.accepted || !verdicts.has(object)) verdicts.set(object, verdict);
      if (!published.has(object)) published.set(object, []);
      published.get(object)?.push(...publishedIds(report, object, result, namespace));
    }
  }
  return [...verdicts.values()].map((verdict) => ({
    ...verdict,
    publishedAs: published.get(verdict.object) ?? [],
  }));
}

/** The ids of the indicators that the feed publishes of this one: two if it is of C2 and file. */
function publishedIds(
  { objects }: SubmittedReport,
  object: SubmittedObject,
  result: LineResult | undefined,
  namespace: string,
): readonly string[] {
  if (result === undefined || 'problem' in result) return [];
  const idOf = reportObjectIds(result.id, namespace);
  const [c2, file = c2] = objects;
  return [...(object === c2 ? [idOf('c2')] : []), ...(object === file ? [idOf('file')] : [])];
}

function toVerdict(object: SubmittedObject, result: LineResult | undefined): Verdict {
  if (result === undefined)
    return { object, accepted: false, message: 'Not tried: an earlier report ended the batch.' };
  if ('problem' in result) return { object, accepted: false, message: result.problem.message };
  const hint = result.c2Rejected ? ' The desk has rejected this C2 as a false positive.' : '';
  const message = `${result.replayed ? 'Already part' : 'Part'} of the report ${result.id}.${hint}`;
  return { object, accepted: true, message };
}

/** The status resource of TAXII 2.1, section 4.3.1. */
export function presentStatus(id: string, at: Date, verdicts: readonly Verdict[]): string {
  const timestamp = at.toISOString();
  const details = (accepted: boolean) =>
    verdicts
      .filter((verdict) => verdict.accepted === accepted)
      .map(({ object, message, publishedAs = [] }) => ({
        id: object.id,
        version: versionText(object) || timestamp,
        message: message.slice(0, MAX_MESSAGE_LENGTH),
        ...(publishedAs.length > 0 && { x_rapsheet_ids: publishedAs }),
      }));
  const [successes, failures] = [details(true), details(false)];
  return JSON.stringify({
    id,
    status: 'complete',
    request_timestamp: timestamp,
    total_count: verdicts.length,
    success_count: successes.length,
    ...(successes.length > 0 && { successes }),
    failure_count: failures.length,
    ...(failures.length > 0 && { failures }),
    pending_count: 0,
  });
}
