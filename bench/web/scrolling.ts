import type { Page } from 'playwright-core';
import type { Verdicts } from '../verdicts.ts';

const MAX_SCROLL_MS = 360_000;
/** The end stays the end for so long if nothing more is loaded. */
const END_MS = 3000;
/** Three screens for each event, as a dragged scroll bar moves. */
const WHEEL_PX = 2500;
const EVENTS = 20;

const POSITION = `(() => {
  const { scrollTop, scrollHeight, clientHeight } = document.scrollingElement;
  const hasOlder = !/No older reports/.test(document.querySelector('main').innerText);
  return { top: scrollTop, rest: scrollHeight - scrollTop - clientHeight, hasOlder };
})()`;

interface Position {
  readonly top: number;
  /** To the end, in pixels. Reports that are loaded on the way move the end. */
  readonly rest: number;
  readonly hasOlder: boolean;
}

/**
 * Scrolls to the end of the list and back to its top. A script in the page could scroll it too, but
 * the layouts that it forces would count as tasks of the page.
 */
export async function scrollThrough(page: Page, verdicts: Verdicts): Promise<void> {
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt > MAX_SCROLL_MS;
  let endSince = startedAt;
  let height = 0;
  let hasOlder = true;
  while (hasOlder && performance.now() - endSince < END_MS && !isOver()) {
    const now = await scroll(page, WHEEL_PX);
    if (now.rest > 2) endSince = performance.now();
    height = now.top;
    hasOlder = now.hasOlder;
  }
  const downSeconds = (performance.now() - startedAt) / 1000;
  while ((await scroll(page, -WHEEL_PX)).top > 0 && !isOver());
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(
    `scrolled ${Math.round(height)} px in ${downSeconds.toFixed(1)} s, and back after ${seconds.toFixed(1)} s`,
  );
  verdicts.add('the end of the feed is reached (1: yes)', hasOlder ? 0 : 1, 1, 'more');
}

async function scroll(page: Page, pixels: number): Promise<Position> {
  await page.mouse.move(640, 700);
  for (let number = 0; number < EVENTS; number += 1) await page.mouse.wheel(0, pixels);
  return await page.evaluate<Position>(POSITION);
}

/** Scrolls down and up again as a reader does who looks for something. */
export async function roam(page: Page, seconds: number): Promise<void> {
  const startedAt = performance.now();
  for (let number = 0; performance.now() - startedAt < seconds * 1000; number += 1)
    await scroll(page, number % 3 === 2 ? -400 : 400);
}
