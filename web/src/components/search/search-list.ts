/** A list of indicators that is searched at once, and its form in the address of the page. */

/** The server refuses longer lists. */
export const MAX_LINES = 100;

/** The distinct lines, without comments. Commas, semicolons and tabs separate indicators too. */
export function linesOf(text: string): readonly string[] {
  const lines = text
    .split(/[\r\n]+/)
    .filter((line) => !line.trimStart().startsWith('#'))
    .flatMap((line) => line.split(/[,;\t]/))
    .map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}

/** Whether a pasted text is a list. In a text of one line, a comma may be part of a name. */
export function isList(text: string): boolean {
  return text.split(/[\r\n]+/).filter((line) => line.trim() !== '').length > 1;
}

const NAME = 'list=';

/**
 * The fragment of the address: it reaches no server, whose limit on addresses a list exceeds, and
 * no log.
 */
export function toFragment(lines: readonly string[]): string {
  return `${NAME}${lines.slice(0, MAX_LINES).map(encodeURIComponent).join('+')}`;
}

/** The lines in the fragment of the address; `undefined` if it has no list. */
export function fromFragment(fragment: string): readonly string[] | undefined {
  if (!fragment.startsWith(NAME)) return undefined;
  const lines = fragment.slice(NAME.length).split('+').map(decode);
  return linesOf(lines.join('\n'));
}

/** A link that was cut or edited may end within an escape. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
