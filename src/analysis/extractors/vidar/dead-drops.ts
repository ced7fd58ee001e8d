/** A profile on Steam (all ids of persons start with 7656119) or a name on Telegram. */
const DEAD_DROP =
  /^https:\/\/(?:steamcommunity\.com\/profiles\/7656119\d{10}|(?:t|telegram)\.me\/[A-Za-z]\w{3,31})$/;

const PLAIN_STARTS = [
  'https://steamcommunity.com/profiles/7656119',
  'https://t.me/',
  'https://telegram.me/',
].map((text) => Buffer.from(text));
const MAX_LENGTH = 64;
const MAX_TRIES = 64;

export function isDeadDrop(text: string): boolean {
  return DEAD_DROP.test(text);
}

/** The text up to the zero byte under this key; empty if there is none. */
export function textAt(bytes: Buffer, offset: number, key: number): string {
  const encoded = bytes.subarray(offset, offset + MAX_LENGTH);
  const end = encoded.indexOf(key);
  return Buffer.from(encoded.subarray(0, Math.max(end, 0)).map((byte) => byte ^ key)).toString(
    'latin1',
  );
}

/** Whole strings: between zero bytes. */
export function plainDeadDrops(bytes: Buffer): string[] {
  return PLAIN_STARTS.flatMap((start) => {
    const found: string[] = [];
    let at = bytes.indexOf(start);
    for (let tries = 0; at !== -1 && tries < MAX_TRIES; tries += 1) {
      const text = bytes[at - 1] === 0 ? textAt(bytes, at, 0) : '';
      if (isDeadDrop(text)) found.push(text);
      at = bytes.indexOf(start, at + 1);
    }
    return found;
  });
}
