import type pg from 'pg';

/** A statement with the values of its parameters. */
export interface BoundStatement {
  /** The name under which connections prepare the statement. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether each row is an array of its columns, of which several may have the same name. */
  readonly returnsArrays?: boolean | undefined;
}

export type Row = Readonly<Record<string, unknown>>;
/** The rows of each statement. */
export type PipelineRows = readonly (readonly Row[])[];

/**
 * Sends statements together and returns the rows of each: one round trip on a connection with
 * `pipeline`. If one fails, its error is thrown, and in a transaction the server refuses those
 * after it.
 */
export async function runStatements(
  client: pg.ClientBase,
  statements: readonly BoundStatement[],
): Promise<PipelineRows> {
  const results = await Promise.all(
    statements.map(({ name, text, values, returnsArrays }) =>
      client.query<Row>({
        ...{ name, text, values: [...values] },
        ...(returnsArrays === true && { rowMode: 'array' }),
      }),
    ),
  );
  return results.map(({ rows }) => rows);
}
