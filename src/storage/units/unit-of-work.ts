import type { Query } from './query.ts';
import type { QueryStep, Step } from './steps.ts';

/**
 * Statements that commit together, written once for both databases: a generator that yields steps
 * and receives the rows of each.
 *
 *     const deleteToken = query<{ id: string }>()((db, parameter) =>
 *       db.deleteFrom('token').where('id', '=', parameter.id).returning('account_id'));
 *     function* removeToken(id: string): UnitOfWork<string | undefined> {
 *       return (yield* row(deleteToken, { id }))?.account_id;
 *     }
 *     const accountId = await runner.write(() => removeToken('t1'));
 *
 * The runner executes all steps in one transaction and may start the generator again from the
 * beginning, so a unit keeps no state outside itself.
 */
export type UnitOfWork<Result> = Generator<Step, Result, readonly unknown[]>;

export function* rows<Arguments extends object, Row>(
  query: Query<Arguments, Row>,
  values: Arguments,
): UnitOfWork<readonly Row[]> {
  // The runner returns the rows of this query.
  return (yield queryStep(query, values)) as readonly Row[];
}

export function queryStep<Arguments extends object>(
  query: Query<Arguments, unknown>,
  values: Arguments,
): QueryStep {
  return { kind: 'query', query: query as Query<never, unknown>, values };
}

export function* row<Arguments extends object, Row>(
  query: Query<Arguments, Row>,
  values: Arguments,
): UnitOfWork<Row | undefined> {
  return (yield* rows(query, values))[0];
}

/**
 * The rows of one query for each element of a list. For an insert, an update or a delete, no two
 * elements may concern the same row: a runner may execute them as one statement.
 */
export function* each<Arguments extends object, Row>(
  query: Query<Arguments, Row>,
  list: readonly Arguments[],
): UnitOfWork<readonly (readonly Row[])[]> {
  if (list.length === 0) return [];
  // The runner returns one list of rows for each element.
  const results = yield { kind: 'each', query: query as Query<never, unknown>, list };
  return results as readonly (readonly Row[])[];
}

/**
 * Like `each`, for writes whose result the unit does not need. PostgreSQL gets them together with
 * the next step or with the commit, in order, which saves a round trip.
 */
export function* eachDeferred<Arguments extends object>(
  query: Query<Arguments, unknown>,
  list: readonly Arguments[],
): UnitOfWork<void> {
  if (list.length === 0) return;
  yield { kind: 'each', query: query as Query<never, unknown>, list, isDeferred: true };
}

/**
 * Runs units step by step in parallel: the first steps of all of them, in their order, then the
 * second steps, and so on. So the first step of a unit may rely on locks that the first step of an
 * earlier one takes. Apart from that, none may wait for a lock or read a row that another one takes
 * or writes. Each result has the name of its unit.
 */
export function* inParallel<Results extends Readonly<Record<string, unknown>>>(
  units: {
    readonly [Name in keyof Results]: UnitOfWork<Results[Name]>;
  },
): UnitOfWork<Results> {
  const results = yield* allInParallel(Object.values<UnitOfWork<unknown>>(units));
  const named = Object.keys(units).map((name, index) => [name, results[index]] as const);
  // One result for each unit.
  return Object.fromEntries(named) as Results;
}

/** Like `inParallel`, for a list of units. */
export function* allInParallel<Result>(
  units: Iterable<UnitOfWork<Result>>,
): UnitOfWork<readonly Result[]> {
  const all = [...units];
  const states = all.map((unit) => unit.next([]));
  for (;;) {
    const running = all.flatMap((unit, index) => {
      const state = states[index];
      return state === undefined || state.done ? [] : { unit, index, step: state.value };
    });
    // All units have returned.
    if (running.length === 0) return states.map(({ value }) => value as Result);
    const steps = running.flatMap(({ step }) => (step.kind === 'parallel' ? step.steps : [step]));
    const answers = [...((yield { kind: 'parallel', steps }) as readonly (readonly unknown[])[])];
    for (const { unit, index, step } of running) {
      const answer =
        step.kind === 'parallel' ? answers.splice(0, step.steps.length) : answers.shift();
      states[index] = unit.next(answer ?? []);
    }
  }
}
