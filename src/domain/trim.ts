/**
 * `text.replace(/x+$/, '')` is quadratic in the length of a run that is not at the end: the engine
 * restarts at every character of the run. These functions are linear.
 */

export function trimEndOf(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}

export function trimStartOf(text: string, character: string): string {
  let start = 0;
  while (start < text.length && text[start] === character) start += 1;
  return text.slice(start);
}
