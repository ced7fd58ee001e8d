export interface Series {
  readonly label: string;
  /** A value for each time. */
  readonly values: readonly (number | null)[];
  /** Bars for amounts of a day; a line by default. */
  readonly look?: 'line' | 'bars';
}

export interface PlotProps {
  /** Read aloud, with a table of the values for those who do not see the plot. */
  readonly label: string;
  /** Seconds since 1970, in order. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly height?: number;
  /**
   * Called with a range of time, in seconds: drawn with the pointer, or the step that was clicked
   * or chosen with the arrow keys and Enter.
   */
  readonly onSelect?: ((from: number, to: number) => void) | undefined;
  /** The range that is in force, shaded. */
  readonly selected?: { readonly from: number; readonly to: number } | undefined;
  readonly format?: (value: number) => string;
}
