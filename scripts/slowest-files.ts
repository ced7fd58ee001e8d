import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { nameOf } from './named-files.ts';

const SHOWN = 10;

/** A reporter for the test runner: lists the files whose tests took longest. */
export default async function* slowestFiles(events: AsyncIterable<TestEvent>) {
  const seconds = new Map<string, number>();
  for await (const { type, data } of events) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.nesting > 0) continue;
    const file = relative('', nameOf(data.file ?? ''));
    seconds.set(file, (seconds.get(file) ?? 0) + data.details.duration_ms / 1000);
  }
  const slowest = [...seconds].sort(([, one], [, other]) => other - one).slice(0, SHOWN);
  yield 'The tests of these files took longest:\n';
  for (const [file, took] of slowest) yield `${took.toFixed(1).padStart(7)} s  ${file}\n`;
}
