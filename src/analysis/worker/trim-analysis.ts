import type { Analysis, AnalysisDetails } from '../../domain/samples/analysis.ts';
import { GENERAL_TAGS } from '../collection.ts';
import { LIMITS } from '../limits.ts';
import { rankTags } from '../tags.ts';

/** The size of the response around the analysis. */
const ENVELOPE_BYTES = 1024;

/**
 * Details that are dropped from an oversized response, in this order: the least important first.
 */
const DROPPED_IN_ORDER = [
  ['members', []],
  ['indicators', []],
  ['facts', {}],
] as const satisfies readonly (readonly [keyof AnalysisDetails, unknown])[];

/**
 * Shrinks an analysis to the size that the pool accepts. Long names of many members, or matches of
 * hundreds of rules, would otherwise exceed it, and the analysis would be lost.
 */
export function trimAnalysis(
  analysis: Analysis,
  maxBytes: number = LIMITS.responseBytes - ENVELOPE_BYTES,
): Analysis {
  let trimmed = withoutUnusedEvidence(analysis);
  for (const [part, empty] of DROPPED_IN_ORDER) {
    if (Buffer.byteLength(JSON.stringify(trimmed)) <= maxBytes) break;
    trimmed = without(trimmed, part, empty);
  }
  return trimmed;
}

/** Evidence for tags beyond the limit of tags is dropped. */
function withoutUnusedEvidence({ report, details }: Analysis): Analysis {
  const names = new Set(report.tags.map(({ name }) => name));
  const evidence = details.evidence.filter(({ tag }) => names.has(tag));
  return { report, details: { ...details, evidence } };
}

function without(
  { report, details }: Analysis,
  part: keyof AnalysisDetails,
  empty: unknown,
): Analysis {
  const [heat] = GENERAL_TAGS.LIMIT_EXCEEDED;
  const note = `${part}: omitted, because the analysis is too long`;
  const evidence = [
    ...details.evidence,
    { tag: 'LIMIT_EXCEEDED', heat, source: 'engine', note } as const,
  ];
  return {
    report: { ...report, tags: rankTags(evidence) },
    details: { ...details, [part]: empty, evidence },
  };
}
