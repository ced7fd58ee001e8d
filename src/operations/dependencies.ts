import { formatUuidV7 } from '../domain/uuid.ts';
import type { Store } from '../ports/store.ts';

/** What operations stand on. Clock and chance come from outside, so that tests can give their own. */
export interface Dependencies {
  readonly store: Store;
  now(): Date;
  randomBytes(count: number): Uint8Array;
  /** Where a browser finds the page of a file. */
  resultsPage(sha256: string): string;
}

export function newId(deps: Pick<Dependencies, 'now' | 'randomBytes'>): string {
  return formatUuidV7(deps.now(), deps.randomBytes(10));
}
