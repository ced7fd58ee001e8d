import { Section } from '../../components/page.tsx';
import { type Column, DataTable } from '../../components/table/data-table.tsx';
import { visible } from '../../text/visible.ts';
import { Example } from './example.tsx';
import { HOSTILE } from './samples.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly number: number;
}

const ROWS: readonly Row[] = ['plain', ...HOSTILE].map((name, index) => ({
  id: String(index),
  name,
  number: 10 ** index,
}));

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'name',
    head: 'Name',
    width: 'minmax(var(--size-30), 1fr)',
    cell: ({ name }) => visible(name),
  },
  {
    id: 'from-medium',
    head: 'From medium width',
    width: 'var(--size-40)',
    from: 'medium',
    cell: ({ id }) => id,
  },
  {
    id: 'number',
    head: 'Number',
    width: 'var(--size-24)',
    align: 'right',
    cell: ({ number }) => number,
  },
];

export function TableExamples() {
  return (
    <Section title="Table">
      <Example name="Rows, of which one is selected" isWide>
        <DataTable
          label="Example"
          columns={COLUMNS}
          rows={ROWS}
          keyOf={({ id }) => id}
          isSelected={({ id }) => id === '1'}
        />
      </Example>
    </Section>
  );
}
