import { writeFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { BENCH_TOKEN } from '../fill.ts';
import { startRapsheet } from '../processes.ts';
import { copyOf, storeOf } from '../stores.ts';
import type { Verdicts } from '../verdicts.ts';
import { Arrivals, announcedOn, judgeAnnounced } from './arrivals.ts';
import { roam, scrollThrough } from './scrolling.ts';
import { MeasuredTab } from './tab.ts';
import { judgeTasks, tasksDuring } from './tasks.ts';

const TABS = 10;
/** The heap of the page's own objects. */
const MAX_HEAP_MB = 64;

export interface LargeFeedOptions {
  readonly reports: number;
  readonly arrivalSeconds: number;
  /** Write a CPU profile of each part into this folder. */
  readonly profiles: string | undefined;
}

/** Measures tasks on the page of a large feed: while it is scrolled, and while it grows. */
export async function measureLargeFeed(
  browser: Browser,
  verdicts: Verdicts,
  options: LargeFeedOptions,
): Promise<void> {
  const copy = copyOf(storeOf(options.reports));
  const server = await startRapsheet(copy.folder, {
    unpinned: true,
    settings: { RAPSHEET_ANALYSIS_WORKERS: '0' },
  });
  const tab = await MeasuredTab.open(browser, `http://127.0.0.1:${server.port}`, BENCH_TOKEN);
  const arrivals = new Arrivals(server, options.reports);
  const measure = async (name: string, doing: string, work: () => Promise<void>) => {
    await tab.visit('/feeds/ply');
    const run = () => profiled(tab, name, options, work);
    judgeTasks(verdicts, doing, await tasksDuring(browser, tab.page, run));
  };
  const { reports, arrivalSeconds } = options;
  try {
    await measure('scroll', `while ${reports} reports are scrolled`, () =>
      scrollThrough(tab.page, verdicts),
    );
    verdicts.add('memory of the page after it, MB', await tab.heapMb(), MAX_HEAP_MB, 'less');
    await measure('arrivals', 'while 1,000 reports a minute arrive', async () => {
      const count = await arrivals.send(arrivalSeconds);
      judgeAnnounced(verdicts, 'the page', count, await announcedOn(tab.page));
    });
    await measure('both', 'while they arrive and the page scrolls', async () => {
      await Promise.all([arrivals.send(arrivalSeconds), roam(tab.page, arrivalSeconds)]);
    });
    const tabs = await tab.openMore(TABS - 1, '/feeds/ply');
    await measure('tabs', `in ${TABS} tabs while they arrive`, async () => {
      const count = await arrivals.send(arrivalSeconds);
      const announced = await Promise.all([tab.page, ...tabs].map(announcedOn));
      judgeAnnounced(verdicts, `the last of ${TABS} tabs`, count, Math.min(...announced));
    });
  } finally {
    await tab.close();
    await server.stop();
    copy.remove();
  }
}

/** With profiles the measured times are longer. */
async function profiled(
  { page }: MeasuredTab,
  name: string,
  { profiles }: LargeFeedOptions,
  work: () => Promise<void>,
): Promise<void> {
  if (profiles === undefined) return await work();
  const session = await page.context().newCDPSession(page);
  await session.send('Profiler.enable');
  await session.send('Profiler.start');
  await work();
  const { profile } = await session.send('Profiler.stop');
  writeFileSync(`${profiles}/web-${name}.cpuprofile`, JSON.stringify(profile));
}
