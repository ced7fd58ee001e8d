/** Readers of a MISP feed hold an event in memory: PyMISP takes some 20 kB for a report. */
export const REPORTS_OF_PART = 5000;

/** The part of the n-th report of a day, from 1 on. */
export function dayPartOf(ordinal: number): number {
  return Math.ceil(ordinal / REPORTS_OF_PART);
}
