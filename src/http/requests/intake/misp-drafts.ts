import { hash } from 'node:crypto';
import { formatC2Address } from '../../../domain/reports/c2-address.ts';
import type { ReportDraft } from '../../../domain/reports/report.ts';
import type { DraftLine } from '../../../operations/reports/create-reports.ts';
import { type MispEvent, readMispEvent } from './misp-event.ts';
import { type MispPair, pairsOf } from './misp-pairs.ts';
import { mergeTags } from './misp-tags.ts';
import { unitsOf } from './misp-units.ts';

/** A report of an event. Numbers start at 1. */
export type MispLine = Extract<DraftLine, { readonly draft: ReportDraft }>;

/** Turns a MISP event into reports. */
export function readMisp(body: unknown, scale: number): readonly MispLine[] {
  const event = readMispEvent(body);
  const units = unitsOf(event);
  return pairsOf(units).map((pair, index) => {
    const retryKey = keyOf(event, pair);
    return {
      line: index + 1,
      draft: toDraft(event, pair, scale),
      ...(retryKey !== undefined && { retryKey }),
    };
  });
}

function toDraft(event: MispEvent, { c2, file, unit, link }: MispPair, scale: number): ReportDraft {
  // Those of an attribute are more specific, and the first tag may become the name of the report.
  const { tags, confidence = unit.confidence } = mergeTags([
    c2.attribute.tags,
    file.attribute.tags,
    event.tags,
  ]);
  return {
    c2: c2.c2,
    sha256: file.sha256,
    tags,
    reference: link,
    confidence: confidence === undefined ? undefined : Math.round(confidence * scale),
  };
}

/**
 * The same attributes with the same values, sent again, are the same report. Without any UUID,
 * nothing tells a repeated event from another one.
 */
function keyOf({ uuid }: MispEvent, { c2, file }: MispPair): string | undefined {
  const uuids = [c2.attribute.uuid ?? uuid, file.attribute.uuid ?? uuid];
  if (uuids.every((one) => one === undefined)) return undefined;
  const identity = [...uuids, formatC2Address(c2.c2), file.sha256];
  return hash('sha256', JSON.stringify(identity), 'hex');
}
