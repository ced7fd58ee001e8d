import type { Findings } from '../formats/format.ts';
import { StringRuns } from '../strings.ts';
import type { Subject } from '../subject.ts';
import { AnchorScan } from './anchors.ts';
import { IndicatorSink, type IndicatorTag } from './sink.ts';

/** Letters of a wide run that are looked at together. */
const WIDE_WINDOW = 32_768;
/** As long as the longest value: what lies across two windows is whole in one of them. */
const WIDE_OVERLAP = 2048;

/**
 * Finds what points outside, in text of either width: URLs, addresses, webhooks, tokens, wallets. All of it may
 * be live and somebody's: it is written down and never contacted.
 *
 * Runs in time linear in the file: inside of a run only certain signs are looked at twice (see `AnchorScan`).
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

/** Takes the zeros out, a window at a time, so that there is one way to read text. */
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
  for (let place = 0; place < count; place += 1) {
    scratch[place] = bytes[origin + 2 * place] as number;
  }
  return scratch.subarray(0, count);
}
