import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withConstructorsOnce } from './constructors-once.ts';

/**
 * Loads YARA-X. All that goes beyond its public interface is in this folder:
 *
 * - `constructors-once.ts` rewrites its module, so that a scan of next to nothing takes 2 ms of
 *   processor time instead of 7, with 1,000 further rules 4 ms instead of 27. A small program is
 *   analysed in half the time. A module that is built differently is used as it is.
 * - `rules-image.ts` saves and restores compiled rules, because compiling takes a second of
 *   processor time at the start of each worker, with 1,000 further rules eleven. If there is no
 *   image, rules are compiled.
 * - `retained-scans.ts` frees what the binding leaks, 70 KB for each scan. Without it a worker
 *   grows by that until the pool replaces it.
 *
 * Each is removed when a version of YARA-X does without it; tests fail if a new version differs.
 */
type Binding = typeof import('@virustotal/yara-x');

/** The parts of `WebAssembly.Memory` and `WebAssembly.Table` that are used here. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

export interface WasmTable {
  readonly length: number;
  get(index: number): unknown;
  set(index: number, value: unknown): void;
  grow(count: number, value: unknown): number;
}

/** A new instance of YARA-X. */
export interface Yara extends Pick<Binding, 'Compiler' | 'Scanner'> {
  readonly memory: WasmMemory;
  /** The objects that the instance refers to. */
  readonly references: WasmTable;
}

let loaded = 0;

/**
 * Creates a new instance on every call, so that a failed one can be replaced. The binding keeps one
 * instance per module, so the module is imported again under another URL. The WASM bytes are read
 * here because the binding would fetch them.
 */
export async function loadYara(): Promise<Yara> {
  const address = import.meta.resolve('@virustotal/yara-x');
  loaded += 1;
  const binding = (await import(`${address}?instance=${loaded}`)) as Binding;
  const wasm = readFileSync(fileURLToPath(new URL('yara_x_js_bg.wasm', address)));
  // Unlike the default export, `initSync` does not load the implementation of `fetch`.
  const { memory, __wbindgen_externrefs: references } = binding.initSync({
    module: withConstructorsOnce(wasm),
  });
  return { Compiler: binding.Compiler, Scanner: binding.Scanner, memory, references };
}
