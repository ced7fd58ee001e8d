/**
 * `text.replace(/x+$/, '')` tries again at every character of every run, so it is quadratic in the length of a run
 * that does not stand at the end. These are linear.
 */

/** The text without the run of `character` at its end. */
export function trimEndOf(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}

/** The text without the run of `character` at its beginning. */
export function trimStartOf(text: string, character: string): string {
  let start = 0;
  while (start < text.length && text[start] === character) start += 1;
  return text.slice(start);
}
