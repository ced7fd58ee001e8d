/** The part of the rows that is on the screen, in pixels. */
export interface View {
  /** Where it begins, from the start of the first row; negative if that is below it. */
  readonly top: number;
  readonly size: number;
}

/** The rows that are at least partly in the view. All rows have the same height. */
export function rowsIn({ top, size }: View, height: number) {
  return {
    first: Math.max(0, Math.floor(top / height)),
    last: Math.max(0, Math.ceil((top + size) / height) - 1),
  };
}

interface Row {
  readonly top: number;
  readonly bottom: number;
  /** How much of the view is covered at its top. */
  readonly covered: number;
}

/** How far to scroll so that a row is in the view. */
export function distance({ top, size }: View, row: Row): number {
  if (row.top < top + row.covered) return row.top - top - row.covered;
  return Math.max(0, row.bottom - top - size);
}
