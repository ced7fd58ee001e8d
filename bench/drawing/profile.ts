/** A node of a V8 CPU profile, as `--cpu-prof` writes it. */
interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
  };
  readonly children?: readonly number[];
}

export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** In µs of the monotonic clock, like the deltas. */
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** A function in a call tree, with the time of all its calls from the same callers. */
export interface Frame {
  readonly name: string;
  /** The file in the repository or of Node; empty for native code. */
  readonly file: string;
  self: number;
  total: number;
  readonly children: Map<string, Frame>;
}

export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

const IDLE = '(idle)';

export const newFrame = (name: string, file: string): Frame => ({
  name,
  file,
  self: 0,
  total: 0,
  children: new Map(),
});

/** Shortens the URL of a script to its path in the repository. */
export function fileOf(url: string): string {
  const path = url.replace(/^file:\/\//, '');
  const found = /(?:^|\/)((?:src|node_modules|bench|bin)\/.*)$/.exec(path);
  return found?.[1] ?? path;
}

/** Adds the samples of a profile within a window to a call tree, folded by function and file. */
export function foldProfile(root: Frame, profile: CpuProfile, window: TimeWindow): void {
  const stacks = stacksOf(profile);
  let at = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    // A delta is the time since the previous sample.
    at += profile.timeDeltas[index] ?? 0;
    const micros = profile.timeDeltas[index + 1] ?? 0;
    const stack = stacks.get(id) ?? [];
    if (at < window.from || at > window.to || stack.at(-1)?.name === IDLE) continue;
    addStack(root, stack, Math.max(0, micros));
  }
}

function addStack(
  root: Frame,
  stack: readonly Pick<Frame, 'name' | 'file'>[],
  micros: number,
): void {
  let frame = root;
  root.total += micros;
  for (const { name, file } of stack) {
    const key = `${name} ${file}`;
    const child = frame.children.get(key) ?? newFrame(name, file);
    frame.children.set(key, child);
    child.total += micros;
    frame = child;
  }
  frame.self += micros;
}

/** Returns the stack of each node, outermost first, without the root. */
function stacksOf({ nodes }: CpuProfile): Map<number, readonly Pick<Frame, 'name' | 'file'>[]> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const stacks = new Map<number, readonly Pick<Frame, 'name' | 'file'>[]>();
  const visit = (id: number, above: readonly Pick<Frame, 'name' | 'file'>[]) => {
    const node = byId.get(id);
    if (node === undefined) return;
    const { functionName, url } = node.callFrame;
    const isRoot = functionName === '(root)';
    const frame = { name: functionName || '(anonymous)', file: fileOf(url) };
    const stack = isRoot ? above : [...above, frame];
    stacks.set(id, stack);
    for (const child of node.children ?? []) visit(child, stack);
  };
  const [first] = nodes;
  if (first !== undefined) visit(first.id, []);
  return stacks;
}
