import type { Scanner } from '@virustotal/yara-x';
import type { RuleSummary } from '../compile-rules.ts';
import type { Yara } from './yara.ts';

/**
 * The state of an instance of YARA-X that has compiled rules: its memory, and the values that it
 * refers to. An image takes the place of compiling, which takes a second. YARA-X itself cannot save
 * compiled rules in WebAssembly.
 */
export interface RulesImage {
  readonly header: ImageHeader;
  readonly memory: Uint8Array;
}

export interface ImageHeader extends RuleSummary {
  /** The address of the scanner in the memory. */
  readonly scanner: number;
  /** The length of the table of references, and its values by index. */
  readonly tableLength: number;
  readonly values: readonly (readonly [number, string | boolean])[];
}

/** The binding keeps the address in this property. */
interface Addressed {
  __wbg_ptr: number;
}

const PAGE_BYTES = 65_536;

/**
 * Between two calls the globals of the module, such as the stack pointer, have their first values.
 * Returns `undefined` if the instance refers to an object that cannot be saved. Instances of
 * conditions, which the binding leaks after each scan, are not needed.
 */
export function takeImage(
  { memory, references }: Yara,
  scanner: Scanner,
  summary: RuleSummary,
): RulesImage | undefined {
  const values: [number, string | boolean][] = [];
  for (let index = 0; index < references.length; index += 1) {
    const value = references.get(index);
    if (typeof value === 'string' || typeof value === 'boolean') values.push([index, value]);
    else if (value !== undefined && value !== null && !isLeaked(value)) return undefined;
  }
  const { __wbg_ptr: address } = scanner as unknown as Addressed;
  const header = { ...summary, scanner: address, tableLength: references.length, values };
  return { header, memory: new Uint8Array(memory.buffer.slice(0)) };
}

function isLeaked(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object WebAssembly.Instance]';
}

/** Puts the state into a new instance and returns its scanner. */
export function restoreImage(
  { Scanner, memory, references }: Yara,
  { header, memory: content }: RulesImage,
): Scanner {
  memory.grow((content.length - memory.buffer.byteLength) / PAGE_BYTES);
  new Uint8Array(memory.buffer).set(content);
  references.grow(header.tableLength - references.length, null);
  for (const [index, value] of header.values) references.set(index, value);
  const scanner = Object.create(Scanner.prototype) as Scanner & Addressed;
  scanner.__wbg_ptr = header.scanner;
  return scanner;
}
