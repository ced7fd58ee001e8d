interface Series {
  readonly label: string;
  /** A value for each time. */
  readonly values: readonly (number | null)[];
}

export interface PlotProps {
  /** Read aloud, with a table of the values for those who do not see the plot. */
  readonly label: string;
  /** Seconds since 1970, in order. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly height?: number;
  /** Called with a range that was selected with the pointer, in seconds. */
  readonly onSelect?: (from: number, to: number) => void;
  readonly format?: (value: number) => string;
}
