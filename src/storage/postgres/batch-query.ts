import {
  ColumnNode,
  DeleteQueryNode,
  type Expression,
  ExpressionWrapper,
  InsertQueryNode,
  OffsetNode,
  type OperationNode,
  OperationNodeTransformer,
  PrimitiveValueListNode,
  type QueryId,
  QueryNode,
  type RawBuilder,
  RawNode,
  ReferenceNode,
  SelectionNode,
  SelectQueryNode,
  sql,
  TableNode,
  UpdateQueryNode,
  ValueListNode,
  ValueNode,
  ValuesNode,
} from 'kysely';
import { Parameter } from '../query-builder.ts';

/**
 * Turns a query for one set of values into a query for a list of them. It binds an array for each
 * parameter; `unnest` makes the arrays a table `batch`, and the columns of `batch` replace the
 * parameters. `types` are the SQL types of the parameters, by name.
 *
 * With 64 callers a create takes 0.18 ms of CPU time of node and PostgreSQL, a lookup 0.04 ms; with
 * the same statement sent for each element in one pipeline it is 0.49 and 0.10 ms. The plainer form
 * would be a second text beside each of the 13 statements of a plain create, lookup and fetch, and
 * of those for retry keys, routes, proposals and webhooks, which differ in nothing but the list.
 */
export function batchQuery(
  query: OperationNode,
  types: ReadonlyMap<string, string>,
): RawBuilder<unknown> {
  const columns = new Map([...types.keys()].map((name, index) => [name, `p${index + 1}`]));
  const node = new ParametersToColumns(columns).transformNode(query);
  const arrays = sql.join(
    [...types].map(([name, type]) => sql`${new Parameter(name)}::${sql.raw(type)}[]`),
  );
  const names = sql.raw([...columns.values()].join(', '));
  const batch = sql`unnest(${arrays}) as batch(${names})`;
  const numbered = sql`unnest(${arrays}) with ordinality as batch(${names}, "#")`;
  if (isSelect(node)) {
    return sql`select batch."#", result.* from ${numbered} cross join lateral ${fenced(node)} as result order by batch."#"`;
  }
  if (InsertQueryNode.is(node)) return sql`${insertFrom(batch, node)}`;
  if (UpdateQueryNode.is(node))
    return sql`${node.returning ? updateFrom(numbered, numberReturned(node)) : updateFrom(batch, node)}`;
  if (DeleteQueryNode.is(node)) return sql`${deleteUsing(batch, node)}`;
  throw new Error(`a ${node.kind} cannot run for a list of values`);
}

/**
 * Whether the query is a select, built by Kysely or written as text. One with a `with` clause is
 * not: the clause may contain statements that write.
 */
function isSelect(node: OperationNode | undefined): node is SelectQueryNode | RawNode {
  if (node === undefined) return false;
  if (SelectQueryNode.is(node)) return node.with === undefined;
  if (!RawNode.is(node)) return false;
  const [text = ''] = node.sqlFragments;
  return text.trim() === '' ? isSelect(node.parameters[0]) : text.trimStart().startsWith('select');
}

class ParametersToColumns extends OperationNodeTransformer {
  readonly #columns: ReadonlyMap<string, string>;

  constructor(columns: ReadonlyMap<string, string>) {
    super();
    this.#columns = columns;
  }

  /** Kysely's types expect a node of the same kind; its compiler accepts any expression. */
  protected override transformNodeImpl<Node extends OperationNode>(
    node: Node,
    queryId?: QueryId,
  ): Node {
    if (ValueNode.is(node)) return (this.#columnOf(node.value) ?? node) as OperationNode as Node;
    if (PrimitiveValueListNode.is(node)) {
      const values = node.values.map((value) => this.#columnOf(value) ?? ValueNode.create(value));
      return ValueListNode.create(values) as OperationNode as Node;
    }
    return super.transformNodeImpl(node, queryId);
  }

  #columnOf(value: unknown): OperationNode | undefined {
    if (!(value instanceof Parameter)) return undefined;
    const column = this.#columns.get(value.name);
    if (column === undefined) throw new Error(`the type of ${value.name} is unknown`);
    return ReferenceNode.create(ColumnNode.create(column), TableNode.create('batch'));
  }
}

/**
 * `offset 0` keeps the planner from flattening the subquery into a join, which would read a whole
 * table instead of one row by index for each row of the batch.
 */
function fenced(select: SelectQueryNode | RawNode): Expression<unknown> {
  if (RawNode.is(select)) return sql`(${expression(select)} offset 0)`;
  const offset = select.offset ?? OffsetNode.create(ValueNode.createImmediate(0));
  return expression(SelectQueryNode.cloneWithOffset(select, offset));
}

/** `values (…)` becomes `select … from batch`. */
function insertFrom(batch: RawBuilder<unknown>, insert: InsertQueryNode): Expression<unknown> {
  refuseReturning(insert);
  const rows = insert.values && ValuesNode.is(insert.values) ? insert.values.values : [];
  const [row] = rows;
  if (row === undefined || rows.length > 1 || !ValueListNode.is(row))
    throw new Error('an insert for a list of values needs exactly one row of values');
  const values = sql`select ${sql.join(row.values.map(expression))} from ${batch}`;
  return expression(InsertQueryNode.cloneWith(insert, { values: values.toOperationNode() }));
}

function updateFrom(batch: RawBuilder<unknown>, update: UpdateQueryNode): Expression<unknown> {
  requireWhere(update);
  return expression(UpdateQueryNode.cloneWithFromItems(update, [batch.toOperationNode()]));
}

/** Each returned row has the number of its element. The runner sorts the rows by it. */
function numberReturned(update: UpdateQueryNode): UpdateQueryNode {
  const number = ReferenceNode.create(ColumnNode.create('#'), TableNode.create('batch'));
  return QueryNode.cloneWithReturning(update, [SelectionNode.create(number)]);
}

function deleteUsing(batch: RawBuilder<unknown>, query: DeleteQueryNode): Expression<unknown> {
  refuseReturning(query);
  requireWhere(query);
  return expression(DeleteQueryNode.cloneWithUsing(query, [batch.toOperationNode()]));
}

/** The returned rows do not identify their row of the batch. */
function refuseReturning({ kind, returning }: InsertQueryNode | DeleteQueryNode) {
  if (returning !== undefined) throw new Error(`rows returned by a ${kind} have no order`);
}

/** Without a condition each row of the table would match an arbitrary row of the batch. */
function requireWhere({ kind, where }: UpdateQueryNode | DeleteQueryNode) {
  if (where === undefined) throw new Error(`a ${kind} for a list of values needs a condition`);
}

function expression(node: OperationNode): Expression<unknown> {
  return new ExpressionWrapper(node);
}
