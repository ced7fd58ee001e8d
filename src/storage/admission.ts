import { isAdmitted, NO_SCHEMA } from '../domain/admission.ts';
import { Problem } from '../domain/problem.ts';
import { ownSchema } from './migrate.ts';

/** Written for both databases. The lock of the table lasts until the end of the transaction. */
export const SELECT_OLDEST = 'select oldest_schema from admission where id = 1';

type Listener = (reason: string) => void;

/**
 * Whether the store admits this process. Every transaction passes the number that it reads in the
 * store; after the first refusal the store is not used any more.
 */
export class Admission {
  readonly #schema: number;
  readonly #listeners = new Set<Listener>();
  #reason: string | undefined;

  constructor(schema = ownSchema()) {
    this.#schema = schema;
  }

  /** Throws after a refusal. */
  require(): void {
    if (this.#reason !== undefined) throw this.#problem();
  }

  /** Throws if nodes of this schema are no longer admitted. */
  check(oldestAdmitted: unknown): void {
    this.notice(oldestAdmitted);
    this.require();
  }

  /** Like `check`, outside of a transaction: the next one throws. */
  notice(oldestAdmitted: unknown): void {
    const oldest = Number(oldestAdmitted ?? 0);
    if (this.#reason !== undefined || isAdmitted(this.#schema, oldest)) return;
    this.#reason =
      oldest === NO_SCHEMA
        ? 'the store was moved to another database'
        : `the store admits nodes from schema ${oldest} on, and this one has ${this.#schema}`;
    for (const listener of this.#listeners) listener(this.#reason);
  }

  /** Calls the listener once; at once if the process has been refused already. */
  onRefused(listener: Listener): void {
    if (this.#reason !== undefined) listener(this.#reason);
    else this.#listeners.add(listener);
  }

  #problem(): Problem {
    return new Problem('not_admitted', { cause: new Error(this.#reason), retryAfterSeconds: 5 });
  }
}
