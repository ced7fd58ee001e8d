export interface PeerRow {
  readonly peer: string;
  readonly operation: string;
  readonly count: number;
  readonly micros: number;
  readonly memoryMb: number;
}

const format = (value: number | undefined) =>
  value === undefined ? '–' : Math.round(value).toLocaleString('en');

/** A row for each operation of each peer, with its CPU time and memory at the two sizes. */
export function peerTable(rows: readonly PeerRow[], sizes: readonly number[]): string {
  const [few = 0, many = 0] = sizes;
  const ours = rows.filter(({ peer }) => peer === 'Rapsheet');
  const groups = Map.groupBy(rows, ({ peer, operation }) => `${peer}, ${operation}`);
  const head = [
    'service, operation',
    `µs, ${format(few)} objects`,
    `µs, ${format(many)} objects`,
    'growth',
    'to ours',
    `MB, ${format(few)}`,
    `MB, ${format(many)}`,
  ];
  const lines = [...groups].map(([name, group]) => {
    const at = (count: number) => group.find((row) => row.count === count);
    const own = ours.find((row) => row.count === many && row.operation === group[0]?.operation);
    const [first, last] = [at(few), at(many)];
    return [
      name,
      format(first?.micros),
      format(last?.micros),
      ratio(last?.micros, first?.micros),
      ratio(last?.micros, own?.micros),
      format(first?.memoryMb),
      format(last?.memoryMb),
    ];
  });
  return [head, head.map(() => '---'), ...lines]
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n');
}

function ratio(value: number | undefined, base: number | undefined): string {
  if (value === undefined || base === undefined || base === 0) return '–';
  const found = value / base;
  return found >= 10 ? format(found) : found.toFixed(2);
}
