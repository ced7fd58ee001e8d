import { visible } from './show.ts';

const GAP = '  ';
const ELLIPSIS = '…';
/** A shorter text says nothing. */
const MIN_WIDTH = 12;

interface TableOptions {
  /** The width of the terminal; nothing is shortened without it. */
  readonly maxWidth?: number | undefined;
  /** The columns that may be shortened. */
  readonly flexible?: readonly boolean[];
}

/**
 * Columns as wide as their widest cell. Empty cells are hyphens, so that scripts can split columns.
 */
export function table(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  { maxWidth, flexible = [] }: TableOptions = {},
): string {
  const cells = [headers, ...rows.map((row) => row.map(toCell))];
  const widest = headers.map((_, column) =>
    cells.reduce((width, row) => Math.max(width, lengthOf(row[column] ?? '')), 0),
  );
  const widths = maxWidth === undefined ? widest : fit(widest, maxWidth, flexible);
  return cells
    .map((row) => row.map((cell, column) => pad(cell, widths[column] ?? 0)).join(GAP))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Takes from the widest flexible column until the lines fit. If they cannot, nothing is taken. */
function fit(
  widths: readonly number[],
  maxWidth: number,
  flexible: readonly boolean[],
): readonly number[] {
  const fitted = [...widths];
  const total = fitted.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
  for (let excess = total - maxWidth; excess > 0; excess -= 1) {
    const candidates = fitted.filter((width, column) => flexible[column] && width > MIN_WIDTH);
    if (candidates.length === 0) return widths;
    const widest = Math.max(...candidates);
    const column = fitted.findIndex((width, index) => flexible[index] && width === widest);
    fitted[column] = widest - 1;
  }
  return fitted;
}

function toCell(text: string): string {
  return text === '' ? '-' : visible(text);
}

function pad(text: string, width: number): string {
  const length = lengthOf(text);
  if (length > width) return [...text].slice(0, width - 1).join('') + ELLIPSIS;
  return text + ' '.repeat(width - length);
}

function lengthOf(text: string): number {
  return [...text].length;
}
