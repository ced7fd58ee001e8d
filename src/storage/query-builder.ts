import { type Dialect, DummyDriver, Kysely } from 'kysely';
import type { Tables } from './schema/tables.ts';

/** Stands for a value in a query. The runner binds the value when it executes the query. */
export class Parameter {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Has a parameter of every name. */
export const PARAMETERS = new Proxy({}, { get: (_, name) => new Parameter(String(name)) });

/** Kysely builds the statements and knows their types. The runners execute them. */
export function createQueryBuilder(dialect: Omit<Dialect, 'createDriver'>): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: { ...dialect, createDriver: () => new DummyDriver() } });
}
