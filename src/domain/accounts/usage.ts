/** The days whose units are shown and kept, the current one included. */
export const USAGE_DAYS = 90;
