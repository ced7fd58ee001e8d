import type { ScriptKind } from './kind.ts';

/** A script with the cheapest disguises taken off, and how many there were. */
export interface PlainScript {
  readonly text: string;
  readonly removed: number;
}

const JOINED_LITERALS = /'[ \t]{0,8}[+&][ \t_\r\n]{0,16}'|"[ \t]{0,8}[+&][ \t_\r\n]{0,16}"/g;
const ESCAPES: Partial<Record<ScriptKind, RegExp>> = {
  powershell: /`(?=[^\r\n])/g,
  batch: /\^(?=[^\r\n])/g,
};

/**
 * Takes out what an interpreter ignores: escapes before ordinary letters, and joints between literals
 * (`'Down'+'load'`). Every expression here looks at a bounded number of characters from any place.
 */
export function plainScript(text: string, kind: ScriptKind): PlainScript {
  let removed = 0;
  const drop = () => {
    removed += 1;
    return '';
  };
  const ignored = ESCAPES[kind];
  const unescaped = ignored === undefined ? text : text.replace(ignored, drop);
  const joined = /['"][ \t]{0,8}[+&]/.test(unescaped)
    ? unescaped.replace(JOINED_LITERALS, drop)
    : unescaped;
  return { text: joined.replace(/[ \t]{2,}/g, ' '), removed };
}

/**
 * Each counts once for every time that it stands in the text. Escapes count where they hide an ordinary
 * character: tables of other alphabets are full of those that do not.
 */
const DISGUISES = [
  /\\x[2-7][0-9a-f]/gi,
  /\\u00[2-7][0-9a-f]/gi,
  /%[2-7][0-9a-f]/gi,
  /\bchrw?\(/gi,
  /\[char\]/gi,
  /%[^%\s:]{1,32}:~/g,
  /_0x[0-9a-f]{4}/gi,
];
/** Fewer than these are style. */
const MIN_DISGUISES = 24;
/** One for so many characters is more than any honest script has. */
const CHARACTERS_PER_DISGUISE = 64;
const ENOUGH = 100_000;

/** How many disguises a script has, or nothing where they are few for its length. */
export function countDisguises(text: string, removed: number): number | undefined {
  let count = removed;
  for (const disguise of DISGUISES) count += countMatches(text, disguise);
  const needed = Math.max(MIN_DISGUISES, text.length / CHARACTERS_PER_DISGUISE);
  return count >= Math.min(needed, ENOUGH) ? count : undefined;
}

function countMatches(text: string, expression: RegExp): number {
  let count = 0;
  for (const _ of text.matchAll(expression)) {
    count += 1;
    if (count >= ENOUGH) break;
  }
  return count;
}
