/** A page of so many reports is read at once. */
export const WHOLE_PAGE = 100;
/** A longer one is read in such parts, each when the one before it was sent: some milliseconds where reports are large. */
const PART = 50;

/** Reads what belongs to each part of a list, one part after the other. */
export async function* inParts<Item, Read>(
  items: readonly Item[],
  read: (part: readonly Item[]) => Promise<readonly Read[]>,
): AsyncGenerator<readonly Read[]> {
  for (let start = 0; start < items.length; start += PART)
    yield await read(items.slice(start, start + PART));
}

/** What was read already, as the only part. */
export async function* asOnePart<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield items;
}
