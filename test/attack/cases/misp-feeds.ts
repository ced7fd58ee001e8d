import { REPORTS_OF_PART } from '../../../src/domain/reports/day-part.ts';
import type { AttackCase } from '../case.ts';
import { fillFeed } from '../fill.ts';
import type { Target } from '../target.ts';

/** The account that fills a feed is not slowed down. */
const UNLIMITED = { RAPSHEET_ACCOUNT_CREATES_PER_MINUTE: '0' };
const CALLS = 4;
/** Of a report with a few tags. */
const MAX_REPORT_BYTES = 4000;

/** MISP feeds with more reports in a day than a reader can hold. */
export const mispFeeds: readonly AttackCase[] = [
  { reports: 11_000, isLong: false },
  { reports: 200_000, isLong: true },
].map(
  ({ reports, isLong }): AttackCase => ({
    name: `${CALLS} concurrent readers of the MISP feeds of a day of ${reports} reports`,
    safe: 'divides the day into events, and sends them in pieces',
    isLoad: true,
    isLong,
    settings: UNLIMITED,
    prepare: (target) => fillFeed(target, { service: 'ply', count: reports }),
    async run(target) {
      const bases = Array.from({ length: CALLS }, (_, index) => (index % 2 ? 'all' : 'ply'));
      const unsafe = await Promise.all(bases.map((base) => readFeed(target, base, reports)));
      return [...new Set(unsafe.flat())];
    },
  }),
);

async function readFeed(target: Target, base: string, reports: number): Promise<readonly string[]> {
  const read = async (file: string) =>
    await (await target.call('reader', `/misp/${base}/${file}`)).text();
  const unsafe: string[] = [];
  let found = 0;
  for (const uuid of Object.keys(JSON.parse(await read('manifest.json')))) {
    const text = await read(`${uuid}.json`);
    const files = text.split('"name":"file"').length - 1;
    if (files > REPORTS_OF_PART) unsafe.push(`an event has ${files} reports`);
    if (text.length > REPORTS_OF_PART * MAX_REPORT_BYTES)
      unsafe.push(`an event has ${text.length} bytes`);
    if (!text.endsWith(']}}\n')) unsafe.push('an event was cut off');
    found += files;
  }
  if (found !== reports) unsafe.push(`the events of ${base} have ${found} reports`);
  return unsafe;
}
