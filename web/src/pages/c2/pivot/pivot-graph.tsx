import { useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, type MouseEvent, useRef, useState } from 'react';
import { pageOf } from '../../../components/identifiers/address.tsx';
import { defang } from '../../../text/defang.ts';
import { brief } from '../../../text/visible.ts';
import styles from './pivot.module.css';
import { type Direction, moveFrom, neighboursOf, type Pivot, type PivotNode } from './pivot.ts';

/** In units of the drawing. */
const NODE = { width: 280, height: 26 };
const ROW = 34;
const COLUMN = 348;
const EDGE = 3;
const MAX_CHARACTERS = 26;

const KEYS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};

export const KINDS = { c2: 'C2', host: 'Host', file: 'File', family: 'Family' } as const;

interface Focusable {
  focus(): void;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const ORIGIN: Point = { x: 0, y: 0 };

/** A column for each step. The tab key reaches one node, the arrow keys the others. */
export function PivotGraph({ pivot, label }: { readonly pivot: Pivot; readonly label: string }) {
  const [reached, setReached] = useState(pivot.columns[0]?.[0]?.id ?? '');
  const [pointed, setPointed] = useState<string>();
  const nodes = useRef(new Map<string, Focusable>());
  const points = layOut(pivot);
  const rows = Math.max(...pivot.columns.map((column) => column.length));
  const width = (pivot.columns.length - 1) * COLUMN + NODE.width + 2 * EDGE;
  const marked = pointed ?? reached;
  const near = new Set([marked, ...neighboursOf(pivot, marked).map(({ id }) => id)]);

  function onKeyDown(event: KeyboardEvent, id: string) {
    const direction = KEYS[event.key];
    if (direction === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    nodes.current.get(moveFrom(pivot, id, direction))?.focus();
  }

  return (
    <div className={styles['graph']}>
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing is no fieldset */}
      <svg viewBox={`0 0 ${width} ${rows * ROW + 2 * EDGE}`} role="group" aria-label={label}>
        <g aria-hidden>
          {pivot.links.map(({ from, to }) => (
            <path
              key={`${from} ${to}`}
              d={curve(points.get(from), points.get(to))}
              className={`${styles['link']} ${from === marked || to === marked ? styles['near'] : ''}`}
            />
          ))}
          {pivot.columns.flat().map((node) => (
            <Box
              key={node.id}
              node={node}
              point={points.get(node.id) ?? ORIGIN}
              isNear={near.has(node.id)}
            />
          ))}
        </g>
        {pivot.columns.flat().map((node) => (
          <Node
            key={node.id}
            node={node}
            point={points.get(node.id) ?? ORIGIN}
            neighbours={neighboursOf(pivot, node.id).length}
            isReached={node.id === reached}
            ref={(element) => {
              if (element === null) nodes.current.delete(node.id);
              else nodes.current.set(node.id, element);
            }}
            onFocus={() => setReached(node.id)}
            onPoint={(isPointed) => setPointed(isPointed ? node.id : undefined)}
            onKeyDown={(event) => onKeyDown(event, node.id)}
          />
        ))}
      </svg>
    </div>
  );
}

/** Each column stands in the middle of the drawing. */
function layOut({ columns }: Pivot): ReadonlyMap<string, Point> {
  const rows = Math.max(...columns.map((column) => column.length));
  return new Map(
    columns.flatMap((column, step) =>
      column.map(({ id }, index) => [
        id,
        {
          x: EDGE + step * COLUMN,
          y: EDGE + ((rows - column.length) / 2 + index) * ROW + (ROW - NODE.height) / 2,
        },
      ]),
    ),
  );
}

function curve(from: Point | undefined, to: Point | undefined): string {
  if (from === undefined || to === undefined) return '';
  const [x1, y1] = [from.x + NODE.width, from.y + NODE.height / 2];
  const [x2, y2] = [to.x, to.y + NODE.height / 2];
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}

interface NodeProps {
  readonly node: PivotNode;
  readonly point: Point;
  readonly neighbours: number;
  readonly isReached: boolean;
  readonly ref: (element: Focusable | null) => void;
  readonly onFocus: () => void;
  readonly onPoint: (isPointed: boolean) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** A link over the box of the node. */
function Node(props: NodeProps) {
  const { node, point, neighbours, isReached, ref, onFocus, onPoint, onKeyDown } = props;
  const router = useRouter();
  const page = pageOfNode(node);
  const text = textOf(node);

  function open(event: MouseEvent) {
    // Other tabs and windows are the browser's.
    if (event.button !== 0 || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey)
      return;
    event.preventDefault();
    void router.navigate(page);
  }

  return (
    <a
      ref={ref}
      href={router.buildLocation(page).href}
      tabIndex={isReached ? 0 : -1}
      className={styles['node']}
      aria-label={`${KINDS[node.kind]} ${text}, ${neighbours === 1 ? '1 link' : `${neighbours} links`}`}
      onClick={open}
      onFocus={onFocus}
      onPointerEnter={() => onPoint(true)}
      onPointerLeave={() => onPoint(false)}
      onKeyDown={onKeyDown}
    >
      <title>{text}</title>
      <rect {...point} width={NODE.width} height={NODE.height} rx="4" />
    </a>
  );
}

interface BoxProps extends Pick<NodeProps, 'node' | 'point'> {
  readonly isNear: boolean;
}

/** Not in the link: its label is whole, this text may be shortened. */
function Box({ node, point, isNear }: BoxProps) {
  return (
    <g
      transform={`translate(${point.x} ${point.y})`}
      className={`${styles['box']} ${styles[node.kind] ?? ''} ${isNear ? styles['near'] : ''}`}
    >
      <rect width={NODE.width} height={NODE.height} rx="4" />
      <text x="8" y="17" className={styles['kind']}>
        {KINDS[node.kind]}
      </text>
      <text x="58" y="17">
        {shorten(textOf(node))}
      </text>
    </g>
  );
}

/** What is shown of a node; hostile text is written out. */
export function textOf({ kind, value, name }: PivotNode): string {
  if (kind === 'c2' || kind === 'host') return defang(value);
  if (kind === 'family') return brief(value);
  return name === undefined || name === '' ? value : `${brief(name)} (${value.slice(0, 8)}…)`;
}

/** A family is searched for. */
export function pageOfNode({ kind, value }: PivotNode) {
  if (kind === 'file') return { to: '/files/$hash', params: { hash: value } } as const;
  if (kind === 'family') return { to: '/find', search: { q: value } } as const;
  return pageOf(value);
}

/** Both ends stay: the end of an address is its port. */
function shorten(text: string): string {
  const characters = [...text];
  if (characters.length <= MAX_CHARACTERS) return text;
  const end = 11;
  return `${characters.slice(0, MAX_CHARACTERS - end - 1).join('')}…${characters.slice(-end).join('')}`;
}
