import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { BENCH_TOKEN } from '../fill.ts';
import { type RunningServer, startRapsheet } from '../processes.ts';
import { createBody } from '../requests.ts';
import { copyOf, storeOf } from '../stores.ts';
import type { Verdicts } from '../verdicts.ts';
import { longest, MeasuredTab } from './tab.ts';

const MAX_TASK_MS = 50;
const MAX_SCROLL_MS = 240_000;
const ARRIVALS_PER_MINUTE = 1000;

export interface LargeFeedOptions {
  readonly reports: number;
  readonly arrivalSeconds: number;
  /** Write a CPU profile of each part into this folder. */
  readonly profiles: string | undefined;
}

/** Measures long tasks on the page of a large feed: while it is scrolled, and while it grows. */
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
  try {
    await tab.visit('/feeds/ply');
    await profiled(tab, 'scroll', options, () => scroll(tab, verdicts, options.reports));
    await tab.visit('/feeds/ply');
    await profiled(tab, 'arrivals', options, () => receive(tab, server, verdicts, options));
  } finally {
    await tab.close();
    await server.stop();
    copy.remove();
  }
}

/** The position of whatever scrolls the list. */
const POSITION = `(() => {
  let box = document.querySelector('[role="row"], tbody tr, [role="list"] a');
  while (box !== null && !(box.scrollHeight > box.clientHeight + 1 &&
    /auto|scroll/.test(getComputedStyle(box).overflowY))) box = box.parentElement;
  box ??= document.scrollingElement;
  const rest = box.scrollHeight - box.scrollTop - box.clientHeight;
  return { height: box.scrollHeight, isAtEnd: rest < 3 };
})()`;
const WHEEL_PX = 2500;
const TURNS = 20;

interface Position {
  readonly height: number;
  readonly isAtEnd: boolean;
}

/**
 * Turns the wheel until the end of the list stays the end: reports that are loaded on the way move
 * it. A script in the page would scroll too, but its own layouts would count as tasks of the page.
 */
async function scrollToEnd({ page }: MeasuredTab): Promise<{ height: number; seconds: number }> {
  const startedAt = performance.now();
  await page.mouse.move(640, 700);
  let last: Position = { height: 0, isAtEnd: false };
  let endSince = startedAt;
  while (performance.now() - startedAt < MAX_SCROLL_MS) {
    for (let turn = 0; turn < TURNS; turn += 1) await page.mouse.wheel(0, WHEEL_PX);
    const now = await page.evaluate<Position>(POSITION);
    if (!now.isAtEnd || now.height !== last.height) endSince = performance.now();
    last = now;
    if (performance.now() - endSince > 3000) break;
  }
  return { height: last.height, seconds: (performance.now() - startedAt) / 1000 };
}

async function scroll(tab: MeasuredTab, verdicts: Verdicts, reports: number): Promise<void> {
  await tab.reset();
  const { height, seconds } = await scrollToEnd(tab);
  const measured = await tab.measured();
  const text = await tab.page.evaluate<string>('document.querySelector("main").innerText');
  const hasEnded = /No older reports/.test(text);
  console.log(
    `scrolled ${Math.round(height)} px in ${seconds.toFixed(1)} s; ${measured.longTasks.length} long tasks${hasEnded ? '' : '; the end was NOT reached'}`,
  );
  verdicts.add('the end of the feed is reached (1: yes)', hasEnded ? 1 : 0, 1, 'more');
  const claim = `longest task while ${reports} reports are scrolled, ms`;
  verdicts.add(claim, longest(measured), MAX_TASK_MS, 'less');
}

async function receive(
  tab: MeasuredTab,
  server: RunningServer,
  verdicts: Verdicts,
  { arrivalSeconds, reports }: LargeFeedOptions,
): Promise<void> {
  await tab.reset();
  const count = Math.round((arrivalSeconds * ARRIVALS_PER_MINUTE) / 60);
  const startedAt = performance.now();
  for (let number = 0; number < count; number += 1) {
    await create(server, createBody(number, reports));
    const dueMs = ((number + 1) * 60_000) / ARRIVALS_PER_MINUTE;
    await pause(Math.max(0, startedAt + dueMs - performance.now()));
  }
  const measured = await tab.measured();
  const seconds = (performance.now() - startedAt) / 1000;
  const rate = Math.round((count * 60) / seconds);
  const text = await tab.page.evaluate<string>('document.querySelector("main").innerText');
  const shown = Number((/([\d,]+) new/.exec(text)?.[1] ?? '0').replaceAll(',', ''));
  console.log(
    `${count} reports arrived, ${rate} a minute; the page announces ${shown}; ${measured.longTasks.length} long tasks`,
  );
  // Those of the last moment may still be on their way.
  verdicts.add(`share of ${count} new reports that the page announces`, shown / count, 0.9, 'more');
  const claim = `longest task while ${ARRIVALS_PER_MINUTE} reports a minute arrive, ms`;
  verdicts.add(claim, longest(measured), MAX_TASK_MS, 'less');
}

async function create({ port }: RunningServer, body: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/feed/ply/api`, {
    method: 'POST',
    headers: { authorization: BENCH_TOKEN, 'content-type': 'application/json' },
    body,
  });
  if (!answer.ok) throw new Error(`a create failed: ${await answer.text()}`);
  await answer.text();
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
