import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** Missing from the types: https://nodejs.org/api/sqlite.html#statementstatcounter */
export interface MeasuredStatement extends StatementSync {
  stat(counter: 'vmStep' | 'reprepare'): number;
}

/**
 * Collects, in the returned list, the text of each statement that SQLite planned again, from the
 * connections that are closed until `stop`. Those without parameters do not count: SQLite plans
 * them again only if it has to read the schema again.
 */
export function collectReplans(): { readonly replanned: readonly string[]; stop(): void } {
  const { prepare, close } = DatabaseSync.prototype;
  const prepared = new Map<DatabaseSync, StatementSync[]>();
  const replanned: string[] = [];
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...options) {
    const statement = prepare.apply(this, options);
    prepared.set(this, [...(prepared.get(this) ?? []), statement]);
    return statement;
  };
  DatabaseSync.prototype.close = function (this: DatabaseSync) {
    const planned = prepared.get(this)?.filter(({ sourceSQL }) => sourceSQL.includes('?'));
    for (const statement of planned ?? [])
      if ((statement as MeasuredStatement).stat('reprepare') > 0)
        replanned.push(statement.sourceSQL);
    close.call(this);
  };
  const stop = () => Object.assign(DatabaseSync.prototype, { prepare, close });
  return { replanned, stop };
}
