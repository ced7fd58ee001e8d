import pg from 'pg';
import { ArrayArgument, arrayBytes } from './array-bytes.ts';
import { arrayText } from './array-text.ts';
import { columnTypes } from './columns.ts';

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
/** The rows of each statement of a group. */
export type GroupRows = readonly (readonly Row[])[];

/**
 * Sends statements together and returns the rows of each. If one fails, PostgreSQL skips those
 * after it. So a statement that follows `begin` never runs outside the transaction.
 */
export function runStatements(
  client: pg.ClientBase,
  statements: readonly BoundStatement[],
): Promise<GroupRows> {
  return new Promise((resolve, reject) => {
    client.query(
      new StatementGroup(statements, (cause, rows) => (cause ? reject(cause) : resolve(rows))),
    );
  });
}

/** The parts of the driver's connection that are used; its types lack most of them. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void };
  /** The texts by name: of statements that the server has confirmed, and of those sent. */
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
  parse(statement: { readonly name: string; readonly text: string }): void;
  bind(statement: {
    readonly statement: string;
    readonly values: readonly unknown[];
    readonly valueMapper: (value: unknown) => string | Buffer | null;
  }): void;
  describe(portal: { readonly type: 'P' }): void;
  execute(portal: object): void;
  sync(): void;
}

/** How to read the rows of a statement. */
interface Columns {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
}

interface RowDescription {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

type Callback = (cause: Error | null, rows: GroupRows) => void;

const NO_COLUMNS: Columns = { names: [], parsers: [] };
/** By name of the statement: the server describes the rows of a statement once per connection. */
const described = new WeakMap<Connection, Map<string, Columns>>();

/**
 * A query of the driver that consists of several statements with a single `Sync` message: the
 * server sends their results in one packet, and the driver handles one query instead of many. The
 * driver calls the methods below for the messages of the server, which arrive in order.
 */
export class StatementGroup extends pg.Query {
  readonly statements: BoundStatement[];
  /** The driver replaces it to add a timeout. */
  declare callback: Callback;
  /** Of the statement whose messages arrive. The driver records them as parsed. */
  declare name: string | undefined;
  declare text: string | undefined;
  readonly #rows: Row[][];
  #current = 0;
  #columns: Columns | undefined;
  #described: Map<string, Columns> = new Map();
  #failure: Error | undefined;

  constructor(statements: readonly BoundStatement[], callback: Callback) {
    super({ text: '' });
    this.callback = callback;
    this.statements = [...statements];
    this.#rows = statements.map(() => []);
  }

  override submit = (driverConnection: pg.Connection): void => {
    const connection = driverConnection as unknown as Connection;
    this.#described = described.get(connection) ?? new Map();
    described.set(connection, this.#described);
    this.#start();
    connection.stream.cork();
    try {
      for (const statement of this.statements) this.#send(connection, statement);
    } catch (cause) {
      // A value that cannot be sent. The server answers the statements before it.
      this.#failure = toError(cause);
    }
    connection.sync();
    connection.stream.uncork();
  };

  #send(connection: Connection, { name, text, values }: BoundStatement): void {
    const { parsedStatements, submittedNamedStatements } = connection;
    if ((parsedStatements[name] ?? submittedNamedStatements[name]) === undefined) {
      connection.parse({ name, text });
      submittedNamedStatements[name] = text;
    }
    connection.bind({ statement: name, values, valueMapper: toWire });
    if (!this.#described.has(name)) connection.describe({ type: 'P' });
    connection.execute({});
  }

  #start(): void {
    const statement = this.statements[this.#current];
    this.name = statement?.name;
    this.text = statement?.text;
    this.#columns = this.#described.get(statement?.name ?? '');
  }

  handleRowDescription({ fields }: RowDescription): void {
    this.#columns = {
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID }) => columnTypes.getTypeParser(dataTypeID, 'text')),
    };
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#failure !== undefined) return;
    try {
      const read = this.statements[this.#current]?.returnsArrays === true ? toArray : toRow;
      this.#rows[this.#current]?.push(read(this.#columns ?? NO_COLUMNS, fields));
    } catch (cause) {
      this.#failure = toError(cause);
    }
  }

  handleCommandComplete(): void {
    // A statement without rows has no description.
    this.#described.set(this.name ?? '', this.#columns ?? NO_COLUMNS);
    this.#current += 1;
    this.#start();
  }

  handleReadyForQuery(): void {
    this.callback(this.#failure ?? null, this.#rows);
  }

  handleError(cause: Error, { submittedNamedStatements }: Connection): void {
    // The server has skipped them, so the next group sends them again.
    for (const { name } of this.statements.slice(this.#current))
      delete submittedNamedStatements[name];
    this.callback(cause, []);
  }
}

function toRow({ names, parsers }: Columns, fields: readonly (string | null)[]): Row {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < names.length; index += 1) {
    const text = fields[index] ?? null;
    row[names[index] as string] = text === null ? null : parsers[index]?.(text);
  }
  return row;
}

/** An array that the query of the statement types as a tuple. */
function toArray({ parsers }: Columns, fields: readonly (string | null)[]): Row {
  return fields.map((text, index) =>
    text === null ? null : parsers[index]?.(text),
  ) as unknown as Row;
}

/** The driver sends texts, and buffers in binary form. */
function toWire(value: unknown): string | Buffer | null {
  if (value === null || typeof value === 'string' || Buffer.isBuffer(value)) return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayArgument) return arrayBytes(value) ?? arrayText(value.elements);
  throw new Error(`cannot be bound: ${typeof value}`);
}

const toError = (cause: unknown) => (cause instanceof Error ? cause : new Error(String(cause)));
