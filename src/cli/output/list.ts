import { csvRecord, inert, joinTexts } from '../../exports/csv-record.ts';
import type { CommandInput } from '../command.ts';
import { readOutput } from './format.ts';
import { visible } from './show.ts';
import { layOut } from './table.ts';

type Cell = string | number | boolean | readonly string[] | null | undefined;

/** A column of a list. All of them are in CSV and raw output. */
export interface Column<Item> {
  /** Lower case. Scripts depend on the names, and `cut` on the order: new columns are appended. */
  readonly name: string;
  /** The heading in the table, which leaves out columns without one. */
  readonly title?: string | undefined;
  /** May be shortened to the width of a terminal. Not for what is copied, such as an id. */
  readonly flexible?: boolean;
  value(item: Item): Cell;
  /** Shown in the table instead of the value. */
  text?(item: Item): string;
}

export type Columns<Item> = readonly Column<Item>[];

interface List<Item> {
  /** The value that `--json` prints. */
  readonly result: unknown;
  readonly columns: Columns<Item>;
  readonly rows: readonly Item[];
  /** Printed instead of the plain table. */
  readonly text?: () => string;
}

/** Prints a list that is complete, as `--output` says. */
export function printList<Item>(
  input: CommandInput,
  { result, columns, rows, text }: List<Item>,
): void {
  const pages = new Pages(input, columns);
  const isTable = readOutput(input.options) === 'table' && input.options['ndjson'] !== true;
  if (isTable) input.print(result, text?.() ?? tableOf(columns, rows));
  else pages.show(result, rows);
}

/**
 * Prints pages as they arrive: as one table, as a JSON value per page (`--json`), as a JSON value
 * per item (`--ndjson`), or as lines of CSV or of tab-separated values.
 */
export class Pages<Item> {
  readonly #input: CommandInput;
  readonly #columns: Columns<Item>;
  #count = 0;
  #isStarted = false;

  constructor(input: CommandInput, columns: Columns<Item>) {
    this.#input = input;
    this.#columns = columns;
  }

  show(page: unknown, items: readonly Item[]): void {
    const { options, print } = this.#input;
    const output = readOutput(options);
    if (options['ndjson'] === true)
      for (const item of items) process.stdout.write(`${JSON.stringify(item)}\n`);
    else if (output === 'csv' || output === 'raw') process.stdout.write(this.#lines(output, items));
    else if (output === 'json') print(page, '');
    else if (items.length > 0) print(page, this.#rows(items));
    this.#count += items.length;
    this.#isStarted = true;
  }

  end(): void {
    if (this.#count === 0) this.#input.printMessage('No entries.');
  }

  #lines(output: 'csv' | 'raw', items: readonly Item[]): string {
    const columns = this.#columns;
    if (output === 'raw')
      return items
        .map((item) => `${columns.map(({ value }) => rawText(value(item))).join('\t')}\n`)
        .join('');
    const records = items.map((item) =>
      csvRecord(columns.map(({ value }) => csvText(value(item)))),
    );
    const header = this.#isStarted ? '' : csvRecord(columns.map(({ name }) => name));
    return header + records.join('');
  }

  #rows(items: readonly Item[]): string {
    const { header, rows } = layOutList(this.#columns, items);
    return (this.#count === 0 ? [header, ...rows] : rows).join('\n');
  }
}

/** The table of a list, in the width of the terminal unless another is given. */
export function tableOf<Item>(
  columns: Columns<Item>,
  items: readonly Item[],
  maxWidth?: number,
): string {
  const { header, rows } = layOutList(columns, items, maxWidth);
  return [header, ...rows].join('\n');
}

function layOutList<Item>(columns: Columns<Item>, items: readonly Item[], maxWidth?: number) {
  const shown = columns.filter(({ title }) => title !== undefined);
  return layOut(
    shown.map(({ title = '' }) => title),
    items.map((item) => shown.map((column) => column.text?.(item) ?? cellText(column.value(item)))),
    { maxWidth, flexible: shown.map(({ flexible = false }) => flexible) },
  );
}

function cellText(cell: Cell): string {
  return Array.isArray(cell) ? cell.join(', ') : String(cell ?? '');
}

/** A negative number is no formula. */
function csvText(cell: Cell): string {
  return typeof cell === 'number' ? String(cell) : inert(dataText(cell));
}

function rawText(cell: Cell): string {
  return visible(dataText(cell));
}

function dataText(cell: Cell): string {
  return Array.isArray(cell) ? joinTexts(cell) : String(cell ?? '');
}
