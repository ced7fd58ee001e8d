import { median } from './verdicts.ts';

export interface Figure {
  readonly name: string;
  readonly unit: string;
  /** Without a target, the value only informs. */
  readonly target?: number;
  readonly better: 'more' | 'less';
}

/**
 * Collects the values of figures for one or two checkouts over any number of runs, and prints them
 * as one Markdown table. The last column decides whether a figure meets its target.
 */
export class Figures {
  readonly #columns: readonly string[];
  readonly #rows = new Map<string, { figure: Figure; values: Map<string, number[]> }>();

  constructor(columns: readonly string[]) {
    this.#columns = columns;
  }

  add(figure: Figure, column: string, value: number): void {
    const row = this.#rows.get(figure.name) ?? { figure, values: new Map() };
    this.#rows.set(figure.name, row);
    row.values.set(column, [...(row.values.get(column) ?? []), value]);
  }

  toString(): string {
    const head = ['figure', 'target', ...this.#columns, ''];
    const lines = [head, head.map(() => '---'), ...[...this.#rows.values()].map(this.#cells)];
    return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  }

  #cells = ({ figure, values }: { figure: Figure; values: Map<string, number[]> }): string[] => {
    const judged = values.get(this.#columns.at(-1) ?? '') ?? [];
    return [
      figure.name,
      targetOf(figure),
      ...this.#columns.map((column) => formatRange(values.get(column) ?? [])),
      verdict(figure, judged),
    ];
  };
}

function targetOf({ better, target, unit }: Figure): string {
  if (target === undefined) return unit;
  return `${better === 'more' ? '≥' : '≤'} ${formatValue(target)} ${unit}`.trim();
}

function verdict({ better, target }: Figure, values: readonly number[]): string {
  if (values.length === 0 || target === undefined) return '';
  const value = median(values);
  return (better === 'more' ? value >= target : value <= target) ? 'holds' : 'MISSED';
}

/** Two significant decimals for small values, none for large ones. */
function formatValue(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return String(Number(value.toFixed(Math.abs(value) >= 10 ? 1 : 2)));
}

/** The median, and the least and greatest value of several runs. */
function formatRange(values: readonly number[]): string {
  if (values.length === 0) return '–';
  const middle = formatValue(median(values));
  if (values.length === 1) return middle;
  return `${middle} (${formatValue(Math.min(...values))}–${formatValue(Math.max(...values))})`;
}
