import type { ExtendedReport } from '../../../../src/client/wire.ts';

/** The reports by their index; `undefined` for one that is being loaded. */
export interface ReportRows {
  readonly length: number;
  at(index: number): ExtendedReport | undefined;
}

/** A page of the list. It keeps its ids when its reports are dropped: its rows still count. */
export interface Page {
  readonly cursor: string | undefined;
  readonly ids: Set<string>;
  reports: readonly ExtendedReport[] | undefined;
}

/** The rows of all pages. */
export class PagedRows implements ReportRows {
  readonly length: number;
  readonly #pages: readonly Page[];
  readonly #starts: readonly number[];

  constructor(pages: readonly Page[]) {
    this.#pages = pages;
    const starts: number[] = [];
    let length = 0;
    for (const { ids } of pages) {
      starts.push(length);
      length += ids.size;
    }
    this.#starts = starts;
    this.length = length;
  }

  at(index: number): ExtendedReport | undefined {
    const page = this.#starts.findLastIndex((start) => start <= index);
    return this.#pages[page]?.reports?.[index - (this.#starts[page] ?? 0)];
  }
}

export function loadedRows(rows: ReportRows): readonly ExtendedReport[] {
  return Array.from({ length: rows.length }, (_, index) => rows.at(index)).filter(
    (report) => report !== undefined,
  );
}
