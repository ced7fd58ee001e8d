/** Pages up to this many reports are read with one query. */
export const MAX_SINGLE_READ = 100;
/** Longer pages are read in parts of this size, which takes some milliseconds for large reports. */
const PART_SIZE = 50;

/** Reads the values of a list part by part, each part after the previous one was sent. */
export async function* readInParts<Item, Content>(
  items: readonly Item[],
  read: (part: readonly Item[]) => Promise<Content>,
): AsyncGenerator<Content, void> {
  for (let start = 0; start < items.length; start += PART_SIZE)
    yield await read(items.slice(start, start + PART_SIZE));
}

/** Yields content that was already read, as the only part. */
export async function* singlePart<Content>(content: Content): AsyncGenerator<Content, void> {
  yield content;
}
