import { isVisible } from '../reports/report.ts';
import { parseUuid } from '../uuid.ts';

export const MAX_ACCOUNT_NAME_LENGTH = 64;

/**
 * The name is published as `reportedBy`, so all its characters must be visible. Commands accept the
 * id or the name of an account, so a name must not look like an id.
 */
export function parseAccountName(text: string): string | undefined {
  if (parseUuid(text) !== undefined) return undefined;
  if (!isVisible(text) || text !== text.trim()) return undefined;
  return [...text].length <= MAX_ACCOUNT_NAME_LENGTH ? text : undefined;
}

/** The name of an account that is added. Older accounts may have other names. */
export function parseNewAccountName(text: string): string | undefined {
  const name = parseAccountName(text);
  return name !== undefined && isOfOneScript(name) ? name : undefined;
}

const LATIN = /\p{Script=Latin}/u;
const CYRILLIC = /\p{Script=Cyrillic}/u;
const GREEK = /\p{Script=Greek}/u;
/** Letters of any script but these, and but those that East Asian texts mix with Latin ones. */
const OTHER =
  /[^\P{L}\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Common}\p{Script=Inherited}]/u;

/** Most look-alikes of a name replace some of its letters by those of another script. */
function isOfOneScript(name: string): boolean {
  // Compatibility forms, such as mathematical letters, belong to no script.
  const text = name.normalize('NFKC');
  return [LATIN, CYRILLIC, GREEK, OTHER].filter((script) => script.test(text)).length <= 1;
}

/**
 * Lower-case letters and signs that look like another one, or whose capital does: the letter after
 * each list stands for all of them. A part of Unicode UTS #39, whose table has some 6,000 entries:
 * the well-known Cyrillic and Greek ones, and Latin ones.
 */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  аαɑ: 'a',
  вьβ: 'b',
  сϲ: 'c',
  ԁ: 'd',
  еεҽ: 'e',
  ɡ: 'g',
  нһη: 'h',
  // A capital i is a small l in many fonts.
  'iıіӏιɩ1|': 'l',
  јϳ: 'j',
  кκ: 'k',
  мμ: 'm',
  ν: 'n',
  '0оοσ': 'o',
  рρ: 'p',
  ԛ: 'q',
  г: 'r',
  ѕ: 's',
  тτ: 't',
  ѵ: 'v',
  ԝ: 'w',
  хχ: 'x',
  уүυγ: 'y',
  ζ: 'z',
  '‐‑‒–—―−': '-',
  '’‘`´ʼ': "'",
};

const STANDS_FOR: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([letters, letter]) =>
    [...letters].map((one) => [one, letter] as const),
  ),
);

/**
 * Equal for names that a reader takes for one another: regardless of case, of the form of letters,
 * of spaces, and of look-alikes. Two accounts never have the same key.
 */
export function accountNameKey(name: string): string {
  const folded = name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKD');
  const letters = [...folded.replaceAll('ς', 'σ').replaceAll('i\u0307', 'i')];
  return letters
    .map((letter) => STANDS_FOR.get(letter) ?? letter)
    .join('')
    .replaceAll(/ +/g, ' ');
}
