/**
 * Control characters, invisible characters and marks that change the direction of text. In names
 * and tags of others they could hide or reorder what the page says.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu;

/** The text with each hidden character written out, as in `a⟨U+202E⟩b`. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${code}⟩`;
  });
}

/** The first characters of a long text, and whether there are more. */
export function excerpt(text: string, length: number): { text: string; isCut: boolean } {
  if (text.length <= length) return { text, isCut: false };
  // Not between the halves of a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text[length - 1] ?? '') ? length - 1 : length;
  return { text: text.slice(0, end), isCut: true };
}

const BRIEF_LENGTH = 200;

/** Foreign text for one line: hidden characters are written out, long text is cut. */
export function brief(text: string, length = BRIEF_LENGTH): string {
  const { text: start, isCut } = excerpt(text, length);
  return visible(start) + (isCut ? '…' : '');
}
