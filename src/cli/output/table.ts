import { visible } from './show.ts';

const GAP = '  ';
/** Before the columns of a row that did not fit into its first line. */
const INDENT = '    ';
const ELLIPSIS = '…';
/** A shorter text says nothing. */
const MIN_WIDTH = 12;

interface TableOptions {
  /** By default the width of the terminal; output for a file or a pipe has no limit. */
  readonly maxWidth?: number | undefined;
  /** The columns that may be shortened. */
  readonly flexible?: readonly boolean[];
}

interface TableText {
  readonly header: string;
  readonly rows: readonly string[];
}

/** A column and the width in which it is shown. */
interface Slot {
  readonly column: number;
  readonly width: number;
}

/** Output for another program or a file is never shortened. */
function terminalWidth(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns || undefined : undefined;
}

/**
 * Columns as wide as their widest cell. Empty cells are hyphens, so that scripts can split columns.
 */
export function table(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  options?: TableOptions,
): string {
  const { header, rows: lines } = layOut(headers, rows, options);
  return [header, ...lines].join('\n');
}

/** A table whose header and rows are printed separately. A row may have several lines. */
export function layOut(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  { maxWidth = terminalWidth(), flexible = [] }: TableOptions = {},
): TableText {
  const cells = rows.map((row) => row.map(toCell));
  const widest = headers.map((_, column) =>
    [headers, ...cells].reduce((width, row) => Math.max(width, lengthOf(row[column] ?? '')), 0),
  );
  const lines = fit(widest, maxWidth, flexible) ?? wrap(widest, maxWidth ?? 0, flexible);
  return { header: format(headers, lines), rows: cells.map((row) => format(row, lines)) };
}

function format(row: readonly string[], lines: readonly (readonly Slot[])[]): string {
  return lines
    .map((slots) => slots.map(({ column, width }) => pad(row[column] ?? '', width)).join(GAP))
    .map((line, index) => `${index === 0 ? '' : INDENT}${line}`.trimEnd())
    .join('\n');
}

/** Takes from the widest flexible column until all columns fit into a line, if they can. */
function fit(
  widths: readonly number[],
  maxWidth: number | undefined,
  flexible: readonly boolean[],
): readonly (readonly Slot[])[] | undefined {
  const fitted = [...widths];
  const total = fitted.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
  for (let excess = total - (maxWidth ?? total); excess > 0; excess -= 1) {
    const candidates = fitted.filter((width, column) => flexible[column] && width > MIN_WIDTH);
    if (candidates.length === 0) return undefined;
    const widest = Math.max(...candidates);
    const column = fitted.findIndex((width, index) => flexible[index] && width === widest);
    fitted[column] = widest - 1;
  }
  return [fitted.map((width, column) => ({ column, width }))];
}

/** Spreads the columns over several lines. A cell that is wider than a line stays whole. */
function wrap(
  widths: readonly number[],
  maxWidth: number,
  flexible: readonly boolean[],
): readonly (readonly Slot[])[] {
  const lines: Slot[][] = [];
  let used = 0;
  for (const [column, widest] of widths.entries()) {
    const limit = Math.max(MIN_WIDTH, maxWidth - INDENT.length);
    const width = flexible[column] ? Math.min(widest, limit) : widest;
    const last = lines.at(-1);
    if (last !== undefined && used + GAP.length + width <= maxWidth) {
      last.push({ column, width });
      used += GAP.length + width;
    } else {
      lines.push([{ column, width }]);
      used = width + (last === undefined ? 0 : INDENT.length);
    }
  }
  return lines;
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
