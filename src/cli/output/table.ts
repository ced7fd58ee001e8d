import { visible } from './show.ts';

/** Columns as wide as their widest cell; an empty cell is a hyphen, so that columns can be told apart. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [heads, ...rows.map((row) => row.map(toCell))];
  const widths = heads.map((_, column) =>
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
