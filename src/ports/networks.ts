import type { Origin } from '../domain/networks/origin.ts';

/** The offline tables of the operator. They are in memory, and a lookup asks nobody. */
export interface NetworkTables {
  /** What the tables know of a canonical host. Nothing of a name: names are not resolved. */
  originOf(host: string): Origin;
}
