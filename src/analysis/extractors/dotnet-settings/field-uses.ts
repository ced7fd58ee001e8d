import { codeOf } from '../../formats/dotnet/code.ts';
import type { DotnetFile } from '../../formats/dotnet/file.ts';
import type { Instruction } from '../../formats/dotnet/il.ts';
import type { ConstantStore } from '../../formats/dotnet/stack-values.ts';

type Setting = Pick<ConstantStore, 'fieldToken' | 'offset' | 'value'>;

interface LiteralStore {
  readonly offset: number;
  readonly value: string | number;
}

const LOADS = new Set(['ldsfld', 'ldfld', 'ldsflda', 'ldflda']);
const STORES = new Set(['stsfld', 'stfld']);

/**
 * How all code of a program uses its fields. All of it is decoded, so this is for settings that are
 * about to be reported.
 */
export class FieldUses {
  readonly #loaded = new Set<number>();
  readonly #stored = new Map<number, LiteralStore[]>();

  constructor(file: DotnetFile) {
    for (const { method, steps } of codeOf(file)) {
      this.#addLoads(steps);
      if (method.name !== '.cctor' && method.name !== '.ctor') this.#addStores(file, steps);
    }
  }

  #addLoads(steps: readonly Instruction[]): void {
    for (const { name, operand = 0 } of steps) if (LOADS.has(name)) this.#loaded.add(operand);
  }

  #addStores(file: DotnetFile, steps: readonly Instruction[]): void {
    let before: Instruction | undefined;
    for (const step of steps) {
      const { name, operand = 0, offset } = step;
      if (name === 'nop') continue;
      const value = STORES.has(name) ? literalOf(file, before) : undefined;
      if (value !== undefined) this.#add(operand, { offset, value });
      before = step;
    }
  }

  #add(field: number, store: LiteralStore): void {
    const stores = this.#stored.get(field);
    if (stores === undefined) this.#stored.set(field, [store]);
    else stores.push(store);
  }

  isLoaded(field: number): boolean {
    return this.#loaded.has(field);
  }

  /**
   * Whether other code than the constructor, or a method that it calls, replaces the value with
   * another literal. Which of the two the program uses is not known.
   */
  isReplaced({ fieldToken, offset, value }: Setting): boolean {
    const stores = this.#stored.get(fieldToken) ?? [];
    return stores.some((other) => other.offset !== offset && other.value !== value);
  }
}

/** Empty texts and zero reset a field. */
function literalOf(file: DotnetFile, step: Instruction | undefined): string | number | undefined {
  const { name, operand = 0 } = step ?? {};
  if (name === 'ldc.i4') return operand === 0 ? undefined : operand;
  if (name !== 'ldstr') return undefined;
  return file.metadata.heaps.userString(operand)?.text || undefined;
}

interface Candidate {
  readonly block: { readonly fields: readonly ConstantStore[] };
}

/**
 * The first candidate of which other code loads a field, else the first: a class that is never used
 * is a decoy. A candidate has passed all other tests.
 */
export function firstUsed<Found extends Candidate>(
  candidates: Iterable<Found>,
  settings: { readonly fieldUses: FieldUses },
): Found | undefined {
  let first: Found | undefined;
  for (const candidate of candidates) {
    const { fields } = candidate.block;
    if (fields.some(({ fieldToken }) => settings.fieldUses.isLoaded(fieldToken))) return candidate;
    first ??= candidate;
  }
  return first;
}
