import type { CommandInput } from '../command.ts';

/**
 * Prints pages as they arrive: as one table, as a JSON value per page (`--json`), or as a JSON
 * value per item (`--ndjson`).
 */
export class Pages<Item> {
  readonly #input: CommandInput;
  readonly #table: (items: readonly Item[]) => string;
  #count = 0;

  constructor(input: CommandInput, table: (items: readonly Item[]) => string) {
    this.#input = input;
    this.#table = table;
  }

  show(page: unknown, items: readonly Item[]): void {
    const { options, json, print } = this.#input;
    if (options['ndjson'] === true)
      for (const item of items) process.stdout.write(`${JSON.stringify(item)}\n`);
    else if (json || items.length > 0) print(page, json ? '' : this.#rows(items));
    this.#count += items.length;
  }

  end(): void {
    if (this.#count === 0) this.#input.printMessage('No entries.');
  }

  #rows(items: readonly Item[]): string {
    const text = this.#table(items);
    return this.#count === 0 ? text : text.slice(text.indexOf('\n') + 1);
  }
}
