/** Divides the values of a statement that may read only so many rows. */
export function* inChunks<Item>(
  items: readonly Item[],
  size: number,
): Generator<readonly Item[], void> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
