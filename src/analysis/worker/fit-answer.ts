import type { Analysis, AnalysisDetails } from '../../domain/samples/analysis.ts';
import { GENERAL_TAGS } from '../collection.ts';
import { LIMITS } from '../limits.ts';
import { rankTags } from '../tags.ts';

/** What stands around an analysis in an answer. */
const ENVELOPE_BYTES = 1024;

/** What is given up where an answer would be too long, one after the other: that which tells the least first. */
const GIVEN_UP = [
  ['members', []],
  ['indicators', []],
  ['facts', {}],
] as const satisfies readonly (readonly [keyof AnalysisDetails, unknown])[];

/**
 * An analysis as it may be answered. Long names of many members, or hundreds of rules that match, could make it
 * longer than the pool takes, and then there would be no report at all.
 */
export function fitAnswer(
  analysis: Analysis,
  mostBytes: number = LIMITS.answerBytes - ENVELOPE_BYTES,
): Analysis {
  let fit = withEvidenceOfItsTags(analysis);
  for (const [part, nothing] of GIVEN_UP) {
    if (Buffer.byteLength(JSON.stringify(fit)) <= mostBytes) break;
    fit = without(fit, part, nothing);
  }
  return fit;
}

/** Evidence for tags that did not get into the report says nothing. */
function withEvidenceOfItsTags({ report, details }: Analysis): Analysis {
  const names = new Set(report.tags.map(({ name }) => name));
  const evidence = details.evidence.filter(({ tag }) => names.has(tag));
  return { report, details: { ...details, evidence } };
}

function without(
  { report, details }: Analysis,
  part: keyof AnalysisDetails,
  nothing: unknown,
): Analysis {
  const [heat] = GENERAL_TAGS.LIMIT_EXCEEDED;
  const note = `${part}: too long to be told`;
  const evidence = [
    ...details.evidence,
    { tag: 'LIMIT_EXCEEDED', heat, source: 'engine', note } as const,
  ];
  return {
    report: { ...report, tags: rankTags(evidence) },
    details: { ...details, [part]: nothing, evidence },
  };
}
