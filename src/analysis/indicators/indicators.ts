import type { Findings } from '../formats/format.ts';
import { StringRuns } from '../strings.ts';
import type { Subject } from '../subject.ts';
import { AnchorScan } from './anchors.ts';
import { IndicatorSink, type IndicatorTag } from './sink.ts';

/** Characters of a wide run that are scanned together. */
const WIDE_WINDOW = 32_768;
/** The length of the longest value, so that every value is complete in at least one window. */
const WIDE_OVERLAP = 2048;

/**
 * Finds network indicators in narrow and wide text: URLs, addresses, webhooks, tokens, wallets.
 * They may be live credentials: they are recorded and never contacted.
 *
 * Runs in linear time: only certain characters of a run are read twice (see `AnchorScan`).
 */
export function findIndicators(subject: Subject, findings: Findings<IndicatorTag>): void {
  const { bytes } = subject;
  const sink = new IndicatorSink(findings);
  const narrow = new AnchorScan(bytes, sink, { origin: 0, step: 1 });
  const runs = new StringRuns(bytes);
  while (runs.next()) {
    if (runs.wide) scanWide(runs, sink);
    else narrow.scan(runs.start, runs.end);
  }
}

/**
 * Removes the zeros of a wide run, one window at a time, so that one scanner serves both widths.
 */
function scanWide({ bytes, start, end }: StringRuns, sink: IndicatorSink): void {
  const letters = (end - start) / 2;
  for (let first = 0; first < letters; first += WIDE_WINDOW - WIDE_OVERLAP) {
    const count = Math.min(WIDE_WINDOW, letters - first);
    const origin = start + 2 * first;
    const text = narrowed(bytes, origin, count);
    new AnchorScan(text, sink, { origin, step: 2 }).scan(0, count);
    if (first + count === letters) return;
  }
}

const scratch = Buffer.alloc(WIDE_WINDOW);

function narrowed(bytes: Buffer, origin: number, count: number): Buffer {
  for (let index = 0; index < count; index += 1) {
    scratch[index] = bytes[origin + 2 * index] as number;
  }
  return scratch.subarray(0, count);
}
