/** The days whose units are shown and kept, the current one included. */
export const USAGE_DAYS = 90;

/** What units are charged for, by the names of the HTTP operations' resources. */
export const CHARGED_OPERATIONS = ['lookup', 'details', 'batch', 'similar'] as const;

export type ChargedOperation = (typeof CHARGED_OPERATIONS)[number];
