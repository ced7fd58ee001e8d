import { constantsOf, userStrings } from '../../formats/dotnet/constants.ts';
import { type DotnetFile, parseDotnet } from '../../formats/dotnet/file.ts';
import type { UserString } from '../../formats/dotnet/heaps.ts';
import { type DotnetResource, resourcesOf, valuesOf } from '../../formats/dotnet/resources.ts';
import type { ConstantStore } from '../../formats/dotnet/stack-values.ts';
import type { Subject } from '../../subject.ts';
import { FieldUses } from './field-uses.ts';
import { isDotnet } from './metadata-probes.ts';

/** A constructor that stores constants. Most .NET families keep their settings in one `.cctor`. */
export interface SettingsBlock {
  /** Name of the type that declares the constructor. */
  readonly type: string;
  readonly kind: 'cctor' | 'ctor';
  /** In the order of the code, which is that of the source. Never empty. */
  readonly fields: readonly ConstantStore[];
}

/** A text and its offset in the file. */
export interface LocatedText {
  readonly text: string;
  readonly offset: number;
}

/** A field whose constant is a text. */
export interface TextField extends LocatedText {
  readonly field: string;
  readonly fieldToken: number;
}

/** The parts of a .NET program that hold settings. Each part is read on first use and cached. */
export class DotnetSettings {
  readonly file: DotnetFile;
  #blocks: readonly SettingsBlock[] | undefined;
  #strings: readonly UserString[] | undefined;
  #resources: readonly DotnetResource[] | undefined;
  #fieldUses: FieldUses | undefined;

  constructor(file: DotnetFile) {
    this.file = file;
  }

  /** In table order. A type with a static and an instance constructor has two blocks. */
  get blocks(): readonly SettingsBlock[] {
    this.#blocks ??= blocksOf(this.file);
    return this.#blocks;
  }

  /** Every literal of the program, in the order of the `#US` heap. */
  get strings(): readonly UserString[] {
    this.#strings ??= userStrings(this.file);
    return this.#strings;
  }

  /** Embedded resources. A `*.resources` container is followed by the byte arrays it holds. */
  get resources(): readonly DotnetResource[] {
    this.#resources ??= resourcesOf(this.file).flatMap((one) => [one, ...valuesOf(one)]);
    return this.#resources;
  }

  get fieldUses(): FieldUses {
    this.#fieldUses ??= new FieldUses(this.file);
    return this.#fieldUses;
  }
}

const cache = new WeakMap<DotnetFile, DotnetSettings>();

/**
 * `undefined` if the file is not a .NET program, or is truncated: half a literal is another host,
 * and a call whose name is missing may be the one that restores it. Extractors share one instance
 * for a file.
 */
export function settingsOf(subject: Subject): DotnetSettings | undefined {
  const file = isDotnet(subject) ? subject.as(parseDotnet) : undefined;
  if (file === undefined || file.metadata.isTruncated) return undefined;
  const settings = cache.get(file) ?? new DotnetSettings(file);
  cache.set(file, settings);
  return settings;
}

/**
 * The text fields of a block, in order. A field set by a call that is not evaluated is left out.
 */
export function textFields(block: SettingsBlock): TextField[] {
  return block.fields.flatMap(({ field, fieldToken, result, offset }) =>
    typeof result === 'string' ? [{ field, fieldToken, text: result, offset }] : [],
  );
}

function blocksOf(file: DotnetFile): SettingsBlock[] {
  const byMethod = new Map<number, ConstantStore[]>();
  for (const store of constantsOf(file)) {
    const fields = byMethod.get(store.method);
    if (fields === undefined) byMethod.set(store.method, [store]);
    else fields.push(store);
  }
  return [...byMethod].map(([method, fields]) => ({
    // Methods are in table order; the top byte of a token is its table.
    type: file.methods[(method & 0xffffff) - 1]?.type ?? '',
    kind: fields[0]?.methodKind === 'ctor' ? 'ctor' : 'cctor',
    fields,
  }));
}
