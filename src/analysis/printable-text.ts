/** Control characters, lone surrogates and what turns or hides text: shown as escapes. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029]/gu;

/** A text of the file, made fit to be shown and stored: nothing invisible in it, and not too long. */
export function shownText(text: string, most: number): string {
  const cut = text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
  return cut.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
  });
}
