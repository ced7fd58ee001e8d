import type { Frame } from './profile.ts';
import { drawing, element, escapeXml, text } from './svg.ts';

const WIDTH = 1200;
const MARGIN = 12;
const HEAD_HEIGHT = 84;
const ROW = 17;
/** A narrower frame is left out. */
const LEAST_WIDTH = 1;
const CHARACTER_WIDTH = 6.3;

/** The layers with their colours, dark enough for light text on both pages. */
const LAYERS = {
  http: '#1f6f9f',
  operations: '#1f7a5c',
  storage: '#8a5a00',
  other: '#5b6b7f',
  packages: '#6b4fa0',
  node: '#3f5166',
  sqlite: '#a03c28',
  gc: '#8f2d56',
  native: '#707070',
} as const;
type Layer = keyof typeof LAYERS;

const OWN: readonly (readonly [string, Layer])[] = [
  ['src/http/', 'http'],
  ['src/operations/', 'operations'],
  // Native calls have no frame of their own: their time is that of the adapter that makes them.
  ['src/storage/sqlite/', 'sqlite'],
  ['src/storage/', 'storage'],
  ['src/', 'other'],
  ['node_modules/', 'packages'],
  ['node:', 'node'],
];

export function layerOf({ name, file }: Pick<Frame, 'name' | 'file'>): Layer {
  if (name === '(garbage collector)') return 'gc';
  return OWN.find(([prefix]) => file.startsWith(prefix))?.[1] ?? 'native';
}

export interface Box {
  readonly frame: Frame;
  readonly layer: Layer;
  readonly depth: number;
  readonly x: number;
  readonly width: number;
}

/** Lays the frames out: children share the width of their parent by time, longest first. */
export function layOut(root: Frame, width: number): readonly Box[] {
  const boxes: Box[] = [];
  const scale = root.total === 0 ? 0 : width / root.total;
  const visit = (parent: Frame, depth: number, left: number) => {
    let x = left;
    for (const frame of [...parent.children.values()].sort((a, b) => b.total - a.total)) {
      const own = frame.total * scale;
      if (own >= LEAST_WIDTH) {
        boxes.push({ frame, layer: layerOf(frame), depth, x, width: own });
        visit(frame, depth + 1, x);
      }
      x += own;
    }
  };
  visit(root, 0, 0);
  return boxes;
}

function share(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}

function drawBox({ frame, layer, depth, x, width }: Box, total: number): string {
  const [left, top] = [MARGIN + x, HEAD_HEIGHT + depth * ROW];
  const tip = `${frame.name}${frame.file && ` (${frame.file})`}: ${share(frame.total, total)}, itself ${share(frame.self, total)}`;
  const size = { x: left, y: top, width: Math.max(0.5, width - 0.5), height: ROW - 1, rx: 2 };
  const letters = Math.floor((width - 6) / CHARACTER_WIDTH);
  const label =
    letters < 3
      ? ''
      : text({ class: 'label', x: left + 3, y: top + 12 }, shorten(frame.name, letters));
  const shape = element('rect', { class: layer, ...size });
  return element('g', {}, `<title>${escapeXml(tip)}</title>${shape}${label}`);
}

function shorten(name: string, letters: number): string {
  return name.length <= letters ? name : `${name.slice(0, letters - 1)}…`;
}

/** The share of each layer by its own time, which is also the legend. */
export function layerShares(root: Frame): ReadonlyMap<Layer, number> {
  const shares = new Map<Layer, number>();
  const visit = (parent: Frame) => {
    for (const frame of parent.children.values()) {
      const layer = layerOf(frame);
      shares.set(layer, (shares.get(layer) ?? 0) + frame.self);
      visit(frame);
    }
  };
  visit(root);
  return shares;
}

function legend(root: Frame): string {
  const shares = layerShares(root);
  const present = (Object.keys(LAYERS) as Layer[]).filter((layer) => shares.has(layer));
  return present
    .map((layer, index) => {
      const x = MARGIN + index * 128;
      const label = `${layer} ${share(shares.get(layer) ?? 0, root.total)}`;
      return `${element('rect', { class: layer, x, y: 56, width: 12, height: 12, rx: 2 })}${text({ class: 'small', x: x + 17, y: 66 }, label)}`;
    })
    .join('');
}

export interface FlameTitle {
  readonly title: string;
  readonly description: string;
}

/** Draws a call tree, callers above. Widths are CPU time; the tooltip names the function. */
export function drawFlameGraph(root: Frame, { title, description }: FlameTitle): string {
  const boxes = layOut(root, WIDTH - 2 * MARGIN);
  const rows = boxes.reduce((most, { depth }) => Math.max(most, depth + 1), 0);
  const colours = Object.entries(LAYERS)
    .map(([layer, colour]) => `\n    .${layer} { fill: ${colour}; }`)
    .join('');
  return drawing({
    width: WIDTH,
    height: HEAD_HEIGHT + rows * ROW + MARGIN,
    title,
    description,
    style: `${colours}\n    text.label { font-size: 10.5px; fill: #ffffff; }`,
    content: [
      text({ class: 'head', x: MARGIN, y: 26 }, title),
      text({ class: 'small', x: MARGIN, y: 45 }, description),
      legend(root),
      ...boxes.map((box) => drawBox(box, root.total)),
    ],
  });
}
