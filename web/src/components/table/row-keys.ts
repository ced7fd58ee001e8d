import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';

/** The number of rows that Page Up and Page Down move. */
const JUMP = 15;
const CONTROLS = 'a[href], button:not(:disabled), input, select';

/** The keys of a table with focusable rows: one row is a tab stop, arrow keys move it. */
export function useRowKeys(length: number, open: (index: number) => void) {
  const [active, setActive] = useState(0);
  const body = useRef<HTMLElement>(undefined);
  // Set when a key has moved the row: it gets the focus as soon as it is in the document.
  const isMoving = useRef(false);
  useLayoutEffect(() => {
    if (!isMoving.current) return;
    const row = body.current?.querySelector<HTMLElement>(`[data-index="${active}"]`);
    row?.focus({ preventScroll: true });
    isMoving.current = row === undefined || row === null;
  });
  const moveTo = (index: number, scrollTo: (index: number) => void) => {
    isMoving.current = true;
    setActive(index);
    scrollTo(index);
  };
  const press = (key: string, row: HTMLElement, scrollTo: (index: number) => void): boolean => {
    const index = Number(row.dataset['index']);
    const next = target(key, index, length);
    const isOpening = key === 'Enter' && document.activeElement === row;
    if (next !== undefined) moveTo(next, scrollTo);
    else if (isOpening) open(index);
    else return moveWithin(row, key);
    return true;
  };
  const onKeyDown = (scrollTo: (index: number) => void) => (event: KeyboardEvent<HTMLElement>) => {
    const row = rowOf(event);
    body.current = event.currentTarget;
    if (row !== undefined && press(event.key, row, scrollTo)) event.preventDefault();
  };
  const onFocus = (event: FocusEvent<HTMLElement>) => {
    const row = event.target.closest<HTMLElement>('[data-index]');
    if (row !== null) setActive(Number(row.dataset['index']));
  };
  // A click beside the links opens the row, unless it ends a selection of text.
  const onClick = (event: MouseEvent<HTMLElement>) => {
    const clicked = event.target as HTMLElement;
    const row = clicked.closest<HTMLElement>('[data-index]');
    const isOther = clicked.closest(CONTROLS) !== null || getSelection()?.type === 'Range';
    if (row !== null && !isOther) open(Number(row.dataset['index']));
  };
  const extend = (indexes: number[]): number[] =>
    active >= length || indexes.includes(active)
      ? indexes
      : [...indexes, active].toSorted((one, other) => one - other);
  return { active, onKeyDown, onFocus, onClick, extend };
}

function rowOf(event: KeyboardEvent<HTMLElement>): HTMLElement | undefined {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return undefined;
  return (event.target as HTMLElement).closest<HTMLElement>('[data-index]') ?? undefined;
}

function target(key: string, index: number, length: number): number | undefined {
  const last = length - 1;
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: Math.min(last, index + 1),
    ArrowUp: Math.max(0, index - 1),
    PageDown: Math.min(last, index + JUMP),
    PageUp: Math.max(0, index - JUMP),
    Home: 0,
    End: last,
  };
  return targets[key];
}

/** Moves the focus among the row and its links and buttons. Returns whether the key does that. */
function moveWithin(row: HTMLElement, key: string): boolean {
  if (key !== 'ArrowRight' && key !== 'ArrowLeft') return false;
  const stops = [row, ...row.querySelectorAll<HTMLElement>(CONTROLS)];
  const current = stops.indexOf(document.activeElement as HTMLElement);
  const next = current + (key === 'ArrowRight' ? 1 : -1);
  stops[Math.min(stops.length - 1, Math.max(0, next))]?.focus();
  return true;
}
