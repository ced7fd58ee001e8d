import {
  memo,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react';
import { useScreenWidth } from '../screen-width.ts';
import styles from './data-table.module.css';
import { useRowKeys } from './row-keys.ts';
import { type RowWindow, useRowWindow } from './row-window.ts';

export interface Column<Row> {
  readonly id: string;
  readonly head: string;
  /** A width of a CSS grid: `6rem`, `minmax(var(--size-40), 2fr)`. */
  readonly width: string;
  readonly align?: 'right';
  /** Hidden on screens narrower than this. */
  readonly from?: 'medium' | 'wide';
  readonly cell: (row: Row) => ReactNode;
}

/** An array, or rows of which only some are loaded. */
export interface Rows<Row> {
  readonly length: number;
  at(index: number): Row | undefined;
}

interface Props<Row> {
  /** The accessible name. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: Rows<Row>;
  readonly keyOf: (row: Row) => string;
  /** Called when the last rows are about to be shown. */
  readonly onEnd?: (() => void) | undefined;
  /** Called with the rows on the screen when they change. */
  readonly onShown?: ((first: number, last: number) => void) | undefined;
  /** Opens a row. It makes rows reachable by arrow keys. */
  readonly onOpen?: ((row: Row) => void) | undefined;
  /** The number of rows if there are more than those loaded. */
  readonly total?: number | undefined;
  readonly rowHeight?: number;
  /** The content of a row on narrow screens, of two lines, instead of columns. */
  readonly narrow?: (row: Row) => ReactNode;
  readonly isSelected?: (row: Row) => boolean;
}

const ROW_HEIGHT = 37;
const NARROW_HEIGHT = 64;
const NEAR_END = 30;

/**
 * A table of any length that scrolls with the page: only the rows on the screen are in the
 * document. The head stays below the bar.
 */
export function DataTable<Row>(props: Props<Row>) {
  const { label, rows, keyOf, onOpen, total, isSelected } = props;
  const isNarrow = useScreenWidth() === 'narrow' && props.narrow !== undefined;
  const columns = useShownColumns(props, isNarrow);
  const height = isNarrow ? NARROW_HEIGHT : (props.rowHeight ?? ROW_HEIGHT);
  const body = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);
  const keys = useRowKeys(rows.length, (index) => {
    const row = rows.at(index);
    if (row !== undefined) onOpen?.(row);
  });
  const shown = useRowWindow({ count: rows.length, height, body, cover: head });
  useShownRows(shown, rows.length, props);
  const table = useColumnWidths(columns);
  const isGrid = onOpen !== undefined;
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles have a label
    <div
      ref={table}
      role={isGrid ? 'grid' : 'table'}
      aria-label={label}
      aria-rowcount={1 + (total ?? rows.length)}
      className={styles['table']}
    >
      <Head ref={head} columns={columns} isHidden={isNarrow} />
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div
        role="rowgroup"
        ref={body}
        className={styles['body']}
        style={{ height: rows.length * height }}
        {...(isGrid && {
          onKeyDown: keys.onKeyDown(shown.scrollTo),
          onFocus: keys.onFocus,
          onClick: keys.onClick,
        })}
      >
        {/* The row with the focus stays in the document. */}
        {keys.extend(shown.indexes).map((index) => {
          const row = rows.at(index);
          return (
            <TableRow
              key={row === undefined ? index : keyOf(row)}
              row={row}
              index={index}
              height={height}
              columns={columns as readonly Column<unknown>[]}
              isGrid={isGrid}
              isTabStop={isGrid && keys.active === index}
              isSelected={row !== undefined && isSelected?.(row) === true}
            />
          );
        })}
      </div>
    </div>
  );
}

interface HeadProps {
  readonly ref: RefObject<HTMLDivElement | null>;
  readonly columns: readonly Pick<Column<never>, 'id' | 'head' | 'align'>[];
  readonly isHidden: boolean;
}

function Head({ ref, columns, isHidden }: HeadProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the rows of a table element cannot be positioned
    <div ref={ref} role="rowgroup" className={isHidden ? 'visually-hidden' : styles['head']}>
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
  );
}

interface RowProps {
  /** `undefined` until it is loaded. */
  readonly row: unknown;
  readonly index: number;
  readonly height: number;
  readonly columns: readonly Column<unknown>[];
  readonly isGrid: boolean;
  readonly isTabStop: boolean;
  readonly isSelected: boolean;
}

/** Rendered again only if the row or its position has changed, not on each scroll. */
const TableRow = memo(function TableRow(props: RowProps) {
  const { row, index, height, columns, isGrid, isTabStop, isSelected } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: as above
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      tabIndex={isTabStop ? 0 : -1}
      className={`${styles['row']} ${styles['item']} ${isGrid ? styles['openable'] : ''} ${isSelected ? styles['selected'] : ''}`}
      style={{ height, top: index * height }}
    >
      {columns.map((column) => (
        <div
          key={column.id}
          role={isGrid ? 'gridcell' : 'cell'}
          tabIndex={-1}
          className={cellClass(column)}
        >
          {row === undefined ? <span className={styles['missing']} /> : column.cell(row)}
        </div>
      ))}
    </div>
  );
});

function cellClass({ align }: { readonly align?: 'right' }): string {
  return align === undefined ? `${styles['cell']}` : `${styles['cell']} ${styles[align]}`;
}

function useShownColumns<Row>(
  { columns, narrow, label }: Props<Row>,
  isNarrow: boolean,
): readonly Column<Row>[] {
  const width = useScreenWidth();
  return useMemo(() => {
    if (isNarrow && narrow !== undefined)
      return [{ id: 'narrow', head: label, width: 'minmax(0, 1fr)', cell: narrow }];
    if (width === 'wide') return columns;
    return columns.filter(({ from }) => from === undefined || from === width);
  }, [columns, narrow, label, width, isNarrow]);
}

/** The widths, set as a property: the content security policy refuses style attributes. */
function useColumnWidths(columns: readonly { readonly width: string }[]) {
  const table = useRef<HTMLDivElement>(null);
  const template = columns.map(({ width }) => width).join(' ');
  useLayoutEffect(() => {
    table.current?.style.setProperty('--columns', template);
  }, [template]);
  return table;
}

function useShownRows<Row>(
  { first, last }: RowWindow,
  length: number,
  { onEnd, onShown }: Props<Row>,
): void {
  const tell = useEffectEvent(() => {
    onShown?.(first, last);
    if (last >= length - NEAR_END) onEnd?.();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: told when one of them changes
  useEffect(() => tell(), [first, last, length]);
}
