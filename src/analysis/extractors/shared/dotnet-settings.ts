import { type ConstantStore, constantsOf, userStrings } from '../../formats/dotnet/constants.ts';
import { type DotnetFile, parseDotnet } from '../../formats/dotnet/file.ts';
import type { UserString } from '../../formats/dotnet/heaps.ts';
import { readImage } from '../../formats/dotnet/image.ts';
import { type DotnetResource, resourcesOf, valuesOf } from '../../formats/dotnet/resources.ts';
import type { Subject } from '../../subject.ts';

/** One constructor that stores constants: the settings of most .NET families are one static constructor. */
export interface SettingsBlock {
  /** Name of the type whose constructor it is. */
  readonly type: string;
  readonly kind: 'cctor' | 'ctor';
  /** In the order of the code, which is that of the source. Never empty. */
  readonly fields: readonly ConstantStore[];
}

/** A text, and where it lies in the file. */
export interface PlacedText {
  readonly text: string;
  readonly offset: number;
}

/** A field whose constant is a text. */
export interface TextField extends PlacedText {
  readonly field: string;
  readonly fieldToken: number;
}

/** What extractors of .NET families ask for. Each part is made when it is first asked for, and kept. */
export class DotnetSettings {
  readonly file: DotnetFile;
  #blocks: readonly SettingsBlock[] | undefined;
  #strings: readonly UserString[] | undefined;
  #resources: readonly DotnetResource[] | undefined;

  constructor(file: DotnetFile) {
    this.file = file;
  }

  /** In table order; a type with a static and an instance constructor has two. */
  get blocks(): readonly SettingsBlock[] {
    this.#blocks ??= blocksOf(this.file);
    return this.#blocks;
  }

  /** Every literal of the program, in the order in which the compiler met them. */
  get strings(): readonly UserString[] {
    this.#strings ??= userStrings(this.file);
    return this.#strings;
  }

  /** Embedded ones; of a `*.resources` the byte arrays in it follow it, by their own names. */
  get resources(): readonly DotnetResource[] {
    this.#resources ??= resourcesOf(this.file).flatMap((one) => [one, ...valuesOf(one)]);
    return this.#resources;
  }
}

/** A few reads in the headers: the first question of every `matches`. */
export function isDotnet(subject: Subject): boolean {
  return readImage(subject.bytes) !== undefined;
}

/**
 * Whether its metadata has one of these names (of a type, a member, a namespace), or one that ends so: compilers
 * keep a name that is the end of another only once. The second question of `matches`, which tells most programs
 * apart without reading their code.
 */
export function hasName(subject: Subject, ...names: readonly string[]): boolean {
  if (!isDotnet(subject)) return false;
  const file = subject.as(parseDotnet);
  if (file === undefined) return false;
  const answers = named.get(file) ?? new Map<string, boolean>();
  named.set(file, answers);
  return names.some((name) => {
    const answer = answers.get(name) ?? isInHeap(subject.bytes, file, name);
    answers.set(name, answer);
    return answer;
  });
}

/** Several families ask for the same names. */
const named = new WeakMap<DotnetFile, Map<string, boolean>>();

function isInHeap(bytes: Buffer, { metadata }: DotnetFile, name: string): boolean {
  return metadata.streams.some(
    ({ name: stream, offset, size }) =>
      stream === '#Strings' && bytes.subarray(offset, offset + size).includes(`${name}\0`),
  );
}

const known = new WeakMap<DotnetFile, DotnetSettings>();

/** Nothing for what is no .NET program. However many ask, the file is parsed once. */
export function settingsOf(subject: Subject): DotnetSettings | undefined {
  const file = isDotnet(subject) ? subject.as(parseDotnet) : undefined;
  if (file === undefined) return undefined;
  const settings = known.get(file) ?? new DotnetSettings(file);
  known.set(file, settings);
  return settings;
}

/** The texts among the fields, in order. What went through a call that we cannot do is left out: it is not the value. */
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
    // Methods are in table order, and the top byte of a token is its table.
    type: file.methods[(method & 0xffffff) - 1]?.type ?? '',
    kind: fields[0]?.methodKind === 'ctor' ? 'ctor' : 'cctor',
    fields,
  }));
}
