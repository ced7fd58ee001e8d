import type { Verdicts } from '../verdicts.ts';
import type { MeasuredTab } from './tab.ts';

const MAX_SCROLL_MS = 300_000;
/** Of the page's own objects, at the end of a list of 100,000 reports. */
const MAX_HEAP_MB = 64;

/**
 * Scrolls by three screens a frame, as a dragged scroll bar does, until the end of the list stays
 * the end, and back to the top. Reports that are loaded on the way move the end.
 */
const SCROLL = `new Promise((resolve) => {
  const box = document.scrollingElement;
  const startedAt = performance.now();
  let frames = 0, end = 0, endSince = startedAt, height = 0;
  const down = (now) => {
    frames += 1;
    box.scrollTop += 3 * box.clientHeight;
    if (box.scrollHeight !== end || box.scrollTop + box.clientHeight < box.scrollHeight - 2) {
      end = box.scrollHeight;
      endSince = now;
    }
    if (now - endSince > 3000 || now - startedAt > ${MAX_SCROLL_MS}) {
      height = box.scrollHeight;
      hasEnded = /No older reports/.test(document.querySelector('main').innerText);
      requestAnimationFrame(up);
    } else requestAnimationFrame(down);
  };
  let hasEnded = false;
  const up = (now) => {
    frames += 1;
    box.scrollTop -= 3 * box.clientHeight;
    if (box.scrollTop > 0) requestAnimationFrame(up);
    else resolve({ frames, height, hasEnded, seconds: (now - startedAt) / 1000 });
  };
  requestAnimationFrame(down);
})`;

/** Scrolls to and fro within the reports that are loaded soon, as a reader who looks for one. */
export function roam(seconds: number): string {
  return `new Promise((resolve) => {
    const box = document.scrollingElement;
    const startedAt = performance.now();
    const step = (now) => {
      const turn = Math.floor((now - startedAt) / 3000) % 3 === 2 ? -1 : 1;
      box.scrollTop += turn * box.clientHeight / 2;
      if (now - startedAt > ${seconds * 1000}) resolve();
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`;
}

interface Scrolled {
  readonly frames: number;
  readonly height: number;
  readonly hasEnded: boolean;
  readonly seconds: number;
}

export async function scrollThrough(tab: MeasuredTab, verdicts: Verdicts): Promise<void> {
  const { frames, height, hasEnded, seconds } = await tab.page.evaluate<Scrolled>(SCROLL);
  console.log(
    `scrolled ${Math.round(height)} px and back in ${seconds.toFixed(1)} s and ${frames} frames`,
  );
  verdicts.add('the end of the feed is reached (1: yes)', hasEnded ? 1 : 0, 1, 'more');
  verdicts.add('memory of the page after it, MB', await tab.heapMb(), MAX_HEAP_MB, 'less');
}
