import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type ReactNode,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import styles from './data-table.module.css';
import { useScreenWidth } from './screen-width.ts';

export interface Column<Row> {
  readonly id: string;
  readonly head: string;
  /** A width of a CSS grid: `120px`, `minmax(160px, 2fr)`. */
  readonly width: string;
  readonly align?: 'right';
  /** Hidden on screens narrower than this. */
  readonly from?: 'medium' | 'wide';
  readonly cell: (row: Row) => ReactNode;
}

interface Props<Row> {
  /** Read aloud. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Called when the last rows are about to be shown. */
  readonly onEnd?: (() => void) | undefined;
  /** The number of rows if there are more than those loaded. */
  readonly total?: number | undefined;
  readonly rowHeight?: number;
  readonly isSelected?: (row: Row) => boolean;
}

const ROW_HEIGHT = 37;
const NEAR_END = 30;

/**
 * A table of any length that scrolls with the page: only the rows on the screen are in the
 * document. The head stays below the bar.
 */
export function DataTable<Row>({
  label,
  columns: allColumns,
  rows,
  keyOf,
  onEnd,
  total,
  rowHeight = ROW_HEIGHT,
  isSelected,
}: Props<Row>) {
  const columns = useShownColumns(allColumns);
  const body = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    setOffset((body.current?.getBoundingClientRect().top ?? 0) + scrollY);
  }, []);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: offset,
    getItemKey: (index) => keyOf(rows[index] as Row),
  });
  const items = virtualizer.getVirtualItems();
  const lastIndex = items.at(-1)?.index ?? 0;
  const reachEnd = useEffectEvent(() => onEnd?.());
  useEffect(() => {
    if (lastIndex >= rows.length - NEAR_END) reachEnd();
  }, [lastIndex, rows.length]);
  const table = useRef<HTMLDivElement>(null);
  const template = columns.map(({ width }) => width).join(' ');
  useLayoutEffect(() => {
    // Set as a property: the content security policy refuses style attributes.
    table.current?.style.setProperty('--columns', template);
  }, [template]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: the rows of a table element cannot be positioned
    <div
      ref={table}
      role="table"
      aria-label={label}
      aria-rowcount={1 + (total ?? rows.length)}
      className={styles['table']}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="rowgroup" className={styles['head']}>
        {/* biome-ignore lint/a11y/useSemanticElements: as above */}
        <div role="row" aria-rowindex={1} className={styles['row']} tabIndex={-1}>
          {columns.map((column) => (
            // biome-ignore lint/a11y/useSemanticElements: as above
            <div key={column.id} role="columnheader" className={cellClass(column)} tabIndex={-1}>
              {column.head}
            </div>
          ))}
        </div>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div
        role="rowgroup"
        ref={body}
        className={styles['body']}
        style={{ height: virtualizer.getTotalSize() }}
      >
        {items.map(({ index, key, start }) => {
          const row = rows[index] as Row;
          return (
            // biome-ignore lint/a11y/useSemanticElements: as above
            <div
              key={key}
              role="row"
              aria-rowindex={index + 2}
              tabIndex={-1}
              className={`${styles['row']} ${styles['item']} ${isSelected?.(row) === true ? styles['selected'] : ''}`}
              style={{ height: rowHeight, transform: `translateY(${start - offset}px)` }}
            >
              {columns.map((column) => (
                // biome-ignore lint/a11y/useSemanticElements: as above
                <div key={column.id} role="cell" className={cellClass(column)}>
                  {column.cell(row)}
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function cellClass<Row>({ align }: Column<Row>): string {
  return align === undefined ? `${styles['cell']}` : `${styles['cell']} ${styles[align]}`;
}

function useShownColumns<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  const width = useScreenWidth();
  if (width === 'wide') return columns;
  return columns.filter(({ from }) => from === undefined || from === width);
}
