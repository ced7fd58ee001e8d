import type { ScriptKind } from './kind.ts';

/** A script without simple obfuscation, and how often it was removed. */
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
 * Removes what an interpreter ignores: escapes before ordinary letters, and concatenations of
 * literals (`'Down'+'load'`). Every expression here reads a bounded number of characters from any
 * index.
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
 * Each occurrence counts. Escapes count only if they encode an ordinary character: tables of other
 * alphabets are full of escapes that do not.
 */
const OBFUSCATIONS = [
  /\\x[2-7][0-9a-f]/gi,
  /\\u00[2-7][0-9a-f]/gi,
  /%[2-7][0-9a-f]/gi,
  /\bchrw?\(/gi,
  /\[char\]/gi,
  /%[^%\s:]{1,32}:~/g,
  /_0x[0-9a-f]{4}/gi,
];
/** Fewer than this are a matter of style. */
const MIN_OBFUSCATIONS = 24;
/** One per this many characters exceeds any regular script. */
const CHARACTERS_PER_OBFUSCATION = 64;
const ENOUGH = 100_000;

/** The number of obfuscations, or `undefined` if they are few for the length of the script. */
export function countObfuscations(text: string, removed: number): number | undefined {
  let count = removed;
  for (const pattern of OBFUSCATIONS) count += countMatches(text, pattern);
  const needed = Math.max(MIN_OBFUSCATIONS, text.length / CHARACTERS_PER_OBFUSCATION);
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
