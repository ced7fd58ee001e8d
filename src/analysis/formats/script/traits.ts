import type { ScriptKind } from './kind.ts';
import { TRAITS, type Trait, type TraitTag } from './trait-table.ts';

export interface FoundTrait {
  readonly tag: TraitTag;
  readonly keyword: string;
  /** The index in the original text; absent if it was only found after removing obfuscation. */
  readonly index: number | undefined;
}

/** The original text, and the text without obfuscation, both in lower case. */
export interface TraitTexts {
  readonly kind: ScriptKind;
  readonly text: string;
  readonly plain: string;
}

export function findTraits({ kind, text, plain }: TraitTexts): readonly FoundTrait[] {
  const found: FoundTrait[] = [];
  for (const trait of TRAITS as readonly Trait<TraitTag>[]) {
    if (trait.kinds?.includes(kind) === false) continue;
    const { tag } = trait;
    const inOriginal = findTrait(trait, text);
    if (inOriginal !== undefined) found.push({ tag, ...inOriginal });
    else if (plain !== text) {
      const keyword = findTrait(trait, plain)?.keyword;
      if (keyword !== undefined) found.push({ tag, keyword, index: undefined });
    }
  }
  return found;
}

interface Found {
  readonly keyword: string;
  readonly index: number;
}

function findTrait({ keywords, within }: Trait<TraitTag>, text: string): Found | undefined {
  const firsts = keywords.map((list) => findAny(list, text));
  if (firsts.includes(undefined)) return undefined;
  return within === undefined ? firsts[0] : findTogether(keywords, text, within);
}

function findAny(keywords: readonly string[], text: string): Found | undefined {
  for (const keyword of keywords) {
    const index = indexOfWord(text, keyword, 0);
    if (index !== -1) return { keyword: keyword.trim(), index };
  }
  return undefined;
}

/** The first keyword of the first list that has one of every other list close to it. */
function findTogether(
  lists: readonly (readonly string[])[],
  text: string,
  within: number,
): Found | undefined {
  const all = lists.flatMap((keywords, list) =>
    keywords.flatMap((keyword) =>
      indicesOf(text, keyword).map((index) => ({ list, keyword, index })),
    ),
  );
  all.sort((one, other) => one.index - other.index);
  const latest: (Found | undefined)[] = lists.map(() => undefined);
  for (const { list, keyword, index } of all) {
    latest[list] = { keyword: keyword.trim(), index };
    const isClose = (each: Found | undefined) => each !== undefined && index - each.index <= within;
    if (latest.every(isClose)) return latest[0];
  }
  return undefined;
}

function indicesOf(text: string, keyword: string): number[] {
  const indices: number[] = [];
  for (
    let at = indexOfWord(text, keyword, 0);
    at !== -1;
    at = indexOfWord(text, keyword, at + keyword.length)
  )
    indices.push(at);
  return indices;
}

/** Not as the end of a longer word: `iex` does not match in `pixiex`. */
function indexOfWord(text: string, keyword: string, from: number): number {
  const startsWord = isWordCode(keyword.charCodeAt(0));
  const mustEndWord = isWordCode(keyword.charCodeAt(keyword.length - 1)) && keyword.length < 5;
  for (let at = text.indexOf(keyword, from); at !== -1; at = text.indexOf(keyword, at + 1)) {
    const before = startsWord && at > 0 && isWordCode(text.charCodeAt(at - 1));
    const after = mustEndWord && isWordCode(text.charCodeAt(at + keyword.length));
    if (!before && !after) return at;
  }
  return -1;
}

function isWordCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f
  );
}
