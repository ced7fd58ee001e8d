import type { Browser } from 'playwright-core';
import { Traffic } from '../../scripts/browser/traffic.ts';
import { BENCH_TOKEN, reportId, sampleSha256 } from '../fill.ts';
import { startRapsheet } from '../processes.ts';
import { copyOf, storeOf } from '../stores.ts';
import type { Verdicts } from '../verdicts.ts';
import { roam } from './scrolling.ts';
import { MeasuredTab } from './tab.ts';
import { longestTask, tasksDuring } from './tasks.ts';

const REPORTS = 20_000;
/** As a phone, or a small virtual desktop. */
const SLOWED = 4;
const SCROLL_SECONDS = 5;

const TARGETS = { requests: 12, kilobytes: 250, firstPaintMs: 1200, taskMs: 200, shift: 0.05 };
const MAX_FRAME_MS = 50;

/** Of an account that reports and owns the feed. */
const PAGES: Readonly<Record<string, string>> = {
  home: '/',
  feed: '/feeds/ply',
  desk: '/desk/ply',
  report: `/feeds/ply/reports/${reportId(REPORTS - 1)}`,
  file: `/files/${sampleSha256(100)}`,
  C2: '/c2/host100.ply.example:1124',
  search: '/find?q=host100',
  feeds: '/feeds',
  account: '/account',
  upload: '/upload',
};

/**
 * Measures first views with an empty cache, and scrolling, with the processor slowed four times.
 * Requests and bytes are exact; times depend on the machine, so they are printed as multiples of a
 * fixed calculation in the same tab, too.
 */
export async function measurePages(
  browser: Browser,
  verdicts: Verdicts,
  tree?: string,
): Promise<void> {
  const copy = copyOf(storeOf(REPORTS));
  const server = await startRapsheet(copy.folder, {
    unpinned: true,
    settings: { RAPSHEET_ANALYSIS_WORKERS: '0' },
    ...(tree !== undefined && { tree }),
  });
  const url = `http://127.0.0.1:${server.port}`;
  try {
    for (const [name, path] of Object.entries(PAGES)) {
      const tab = await MeasuredTab.open(browser, url, BENCH_TOKEN);
      await measurePage({ browser, verdicts, tab }, name, path);
      if (name === 'feed' || name === 'desk') await measureScroll({ browser, verdicts, tab }, name);
      await tab.close();
    }
  } finally {
    await server.stop();
    copy.remove();
  }
}

interface Rig {
  readonly browser: Browser;
  readonly verdicts: Verdicts;
  readonly tab: MeasuredTab;
}

async function measurePage({ browser, verdicts, tab }: Rig, name: string, path: string) {
  await tab.page.goto('about:blank');
  await tab.slow(SLOWED);
  const anchorMs = await tab.calculationMs();
  const traffic = await Traffic.of(tab.page);
  const tasks = await tasksDuring(browser, tab.page, () => tab.visit(path));
  await traffic.stop();
  const { shifts, firstPaint, paint } = await tab.measured();
  const multiples = [firstPaint, paint].map((ms) => (ms / anchorMs).toFixed(1)).join(' and ');
  console.log(
    `${name}: first and largest paint after ${firstPaint.toFixed(0)} and ${paint.toFixed(0)} ms, ${multiples} calculations`,
  );
  const add = (what: string, measured: number, target: number) =>
    verdicts.add(`${name}: ${what}`, measured, target, 'less');
  add('requests', traffic.requests.length, TARGETS.requests);
  add('kB', traffic.bytes / 1000, TARGETS.kilobytes);
  add('first paint, ms', firstPaint, TARGETS.firstPaintMs);
  add('longest task, CPU ms', longestTask(tasks, 'cpuMs'), TARGETS.taskMs);
  add(
    'layout shift',
    shifts.reduce((sum, shift) => sum + shift, 0),
    TARGETS.shift,
  );
}

async function measureScroll({ browser, verdicts, tab }: Rig, name: string): Promise<void> {
  let frames: readonly number[] = [];
  const tasks = await tasksDuring(browser, tab.page, async () => {
    frames = await tab.framesDuring(() => roam(tab.page, SCROLL_SECONDS));
  });
  const late = frames.filter((ms) => ms > MAX_FRAME_MS).length;
  console.log(`${name}: ${frames.length} frames while it scrolls, ${late} over ${MAX_FRAME_MS} ms`);
  const add = (what: string, measured: number) =>
    verdicts.add(`${name}: ${what} while it scrolls`, measured, MAX_FRAME_MS, 'less');
  add('longest frame, ms,', Math.max(0, ...frames));
  add('longest task, CPU ms,', longestTask(tasks, 'cpuMs'));
}
