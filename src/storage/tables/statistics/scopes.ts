/**
 * All feeds together are counted in several scopes, by the id of the service, and added on read. In
 * a single one, creates in different feeds would wait for the same row on PostgreSQL.
 */
export const SCOPES_OF_ALL = 16;

export const ALL_SCOPES: readonly number[] = Array.from(
  { length: SCOPES_OF_ALL },
  (_, index) => -1 - index,
);

/** The scope that counts the reports of that service for all feeds. */
export function scopeOfAll(serviceId: number): number {
  return -1 - (serviceId % SCOPES_OF_ALL);
}
