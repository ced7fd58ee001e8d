/** Control and formatting characters, lone surrogates, private-use and unassigned code points. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029]/gu;

/**
 * Text of a sample for display and storage: at most `maxLength` characters, invisible characters
 * escaped.
 */
export function printableText(text: string, maxLength: number): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength - 1).toWellFormed()}…` : text;
  return cut.replace(INVISIBLE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
  });
}
