import pg from 'pg';

/** A node of a plan in the output of `explain (format json)`. */
export interface Plan {
  readonly 'Node Type': string;
  readonly Operation?: string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Scan Direction'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly Plan[];
}

/**
 * The indexes of a plan in the order of reading. Bitmap and plain index scans are the same, and the
 * order of independent subqueries does not matter.
 */
export function shapeOf(plan: Plan): string {
  const { 'Node Type': type, 'Scan Direction': direction, Plans: plans = [] } = plan;
  const [only] = plans;
  if (type === 'Bitmap Heap Scan' && only !== undefined)
    return `Index Scan ${plan['Relation Name']} ${only['Index Name']}`;
  const own = [
    type === 'Index Only Scan' ? 'Index Scan' : type,
    plan.Operation,
    plan['Relation Name'],
    plan['Index Name'],
    direction === 'Backward' ? 'backward' : undefined,
  ].filter((part) => part !== undefined);
  const below = plans.map(shapeOf);
  const isJoin = type === 'Nested Loop';
  const shown = isJoin ? below : below.toSorted();
  return shown.length === 0 ? own.join(' ') : `${own.join(' ')} (${shown.join(', ')})`;
}

/** The rows read by all scans, with those that were filtered out. */
export function rowsRead(plan: Plan): number {
  const isScan = plan['Node Type'].includes('Scan') && plan['Relation Name'] !== undefined;
  const rows =
    (plan['Actual Rows'] ?? 0) +
    (plan['Rows Removed by Filter'] ?? 0) +
    (plan['Rows Removed by Index Recheck'] ?? 0);
  const own = isScan ? rows * (plan['Actual Loops'] ?? 1) : 0;
  return (plan.Plans ?? []).reduce((sum, below) => sum + rowsRead(below), own);
}

/**
 * Scans of whole tables or indexes. An index scan without a condition on the first column is one.
 */
export function wrongScans(
  plan: Plan,
  firstColumns: ReadonlyMap<string, string>,
  bounded: readonly string[],
  isLimited = false,
): readonly string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index } = plan;
  const below = (plan.Plans ?? []).flatMap((one) =>
    wrongScans(one, firstColumns, bounded, isLimited || type === 'Limit'),
  );
  if (bounded.includes(table)) return below;
  if (type === 'Seq Scan') return [`a scan of ${table}`, ...below];
  if (index === undefined || isLimited) return below;
  const first = firstColumns.get(index) ?? index;
  const isByKey = plan['Index Cond']?.includes(first) === true;
  return isByKey ? below : [`a scan of the index ${index}`, ...below];
}

/** A value in the text of a statement. */
export function literal(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map(element).join(',')}}`);
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`;
  return typeof value === 'number' ? String(value) : pg.escapeLiteral(String(value));
}

/** An element in the text of an array. */
function element(value: unknown): string {
  if (value === null) return 'null';
  const text =
    value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : String(value);
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
