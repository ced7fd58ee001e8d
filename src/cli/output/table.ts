import { visible } from './show.ts';

/**
 * Columns as wide as their widest cell. Empty cells are hyphens, so that scripts can split columns.
 */
export function table(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headers, ...rows.map((row) => row.map(toCell))];
  const widths = headers.map((_, column) =>
    Math.max(...cells.map((row) => lengthOf(row[column] ?? ''))),
  );
  return cells
    .map((row) => row.map((cell, column) => pad(cell, widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

function toCell(text: string): string {
  return text === '' ? '-' : visible(text);
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - lengthOf(text));
}

function lengthOf(text: string): number {
  return [...text].length;
}
