/** The characters of tags that a column holds, on usual and on large screens. */
const USUAL = 28;
const LARGE = 56;
/** The frame of a tag and the gap after it, in characters. */
const AROUND = 3;

/** How many tags a row shows whole. The first is always shown, and cut if it is longer. */
export function fittingTags(tags: readonly string[]): {
  readonly usual: number;
  readonly large: number;
} {
  return { usual: within(tags, USUAL), large: within(tags, LARGE) };
}

function within(tags: readonly string[], characters: number): number {
  let left = characters;
  const first = tags.findIndex((tag) => {
    left -= tag.length + AROUND;
    return left < 0;
  });
  return first === -1 ? tags.length : Math.max(1, first);
}
