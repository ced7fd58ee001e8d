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
  { id: 'name', head: 'Name', width: 'minmax(120px, 1fr)', cell: ({ name }) => visible(name) },
  {
    id: 'from-medium',
    head: 'From medium width',
    width: '160px',
    from: 'medium',
    cell: ({ id }) => id,
  },
  { id: 'number', head: 'Number', width: '96px', align: 'right', cell: ({ number }) => number },
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
