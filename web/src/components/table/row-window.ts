import { type RefObject, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { distance, rowsIn, type View } from './row-geometry.ts';

interface Options {
  readonly count: number;
  /** The height of each row, in pixels. */
  readonly height: number;
  /** The element that contains all rows. */
  readonly body: RefObject<HTMLElement | null>;
  /** The element that scrolls them; the page by default. */
  readonly box?: RefObject<HTMLElement | null>;
  /** A sticky head, which covers the first rows. */
  readonly cover?: RefObject<HTMLElement | null>;
}

export interface RowWindow {
  /** The first and the last row on the screen. */
  readonly first: number;
  readonly last: number;
  /** These rows and some around them: those in the document. */
  readonly indexes: number[];
  /** Scrolls as little as needed to show a row. */
  scrollTo(index: number): void;
}

/** Rows beyond those on the screen, so that slow scrolling shows no gap. */
const MARGIN = 4;
/** The rows rendered in one task after a jump: all rows in one task would take about 100 ms. */
const ROWS_PER_TASK = 8;

/**
 * The rows on the screen, for rows of one height: the scroll position divided by the height. It
 * keeps the promise that 100,000 rows scroll without a task over 50 ms. `@tanstack/react-virtual`
 * would replace it: it keeps an object for each row and creates all of them when the list grows,
 * which took 70 % of the time of a scroll.
 */
export function useRowWindow({ count, height, body, box, cover }: Options): RowWindow {
  const [range, setRange] = useState({ first: 0, last: 0, margin: MARGIN });
  useLayoutEffect(() => {
    const scroller = box?.current ?? document;
    let shown = { first: 0, last: 0 };
    const follow = () => {
      const now = rowsIn(viewOf(body.current, box?.current), height);
      const isSame = now.first === shown.first && now.last === shown.last;
      const isJump = now.first > shown.last || now.last < shown.first;
      shown = now;
      return { isSame, isJump };
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      clearTimeout(timer);
      setRange({ ...shown, margin: MARGIN });
    };
    const drawUpTo = (last: number) => {
      clearTimeout(timer);
      if (last >= shown.last) return draw();
      setRange({ first: shown.first, last, margin: 0 });
      timer = setTimeout(() => drawUpTo(last + ROWS_PER_TASK));
    };
    const update = () => {
      if (!follow().isSame) draw();
    };
    // A short scroll is rendered in its frame, so that no gap shows. After a jump all rows are new:
    // they are rendered in separate tasks.
    const scroll = () => {
      const { isSame, isJump } = follow();
      if (isJump) drawUpTo(shown.first + ROWS_PER_TASK);
      else if (!isSame) flushSync(draw);
    };
    update();
    scroller.addEventListener('scroll', scroll, { passive: true });
    addEventListener('resize', update);
    const observer = new ResizeObserver(update);
    observer.observe(box?.current ?? document.body);
    return () => {
      clearTimeout(timer);
      scroller.removeEventListener('scroll', scroll);
      removeEventListener('resize', update);
      observer.disconnect();
    };
  }, [height, body, box]);
  const last = Math.min(range.last, count - 1);
  const first = Math.max(0, Math.min(range.first, last));
  const start = Math.max(0, first - range.margin);
  const end = Math.min(count, last + 1 + range.margin);
  return {
    first,
    last,
    indexes: Array.from({ length: Math.max(0, end - start) }, (_, at) => start + at),
    scrollTo: (index) => {
      const view = viewOf(body.current, box?.current);
      const covered = Math.max(0, (cover?.current?.getBoundingClientRect().bottom ?? 0) - view.at);
      const by = distance(view, { top: index * height, bottom: (index + 1) * height, covered });
      (box?.current ?? window).scrollBy({ top: by });
    },
  };
}

interface ViewInWindow extends View {
  /** Where the view begins in the window. */
  readonly at: number;
}

function viewOf(body: HTMLElement | null, box: HTMLElement | null | undefined): ViewInWindow {
  const at = box?.getBoundingClientRect().top ?? 0;
  const start = body?.getBoundingClientRect().top ?? 0;
  return { at, top: at - start, size: box?.clientHeight ?? innerHeight };
}
