/** RC4, which OpenSSL no longer has. It is its own inverse. */
export function rc4(key: Buffer, bytes: Buffer): Buffer {
  const state = keyedState(key);
  const out = Buffer.allocUnsafe(bytes.length);
  let i = 0;
  let j = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    i = (i + 1) & 0xff;
    j = (j + byteOf(state, i)) & 0xff;
    swap(state, i, j);
    out[at] = byteOf(bytes, at) ^ byteOf(state, (byteOf(state, i) + byteOf(state, j)) & 0xff);
  }
  return out;
}

/** The key must not be empty. */
function keyedState(key: Buffer): Uint8Array {
  const state = Uint8Array.from({ length: 256 }, (_, place) => place);
  let j = 0;
  for (let i = 0; i < 256; i += 1) {
    j = (j + byteOf(state, i) + byteOf(key, i % key.length)) & 0xff;
    swap(state, i, j);
  }
  return state;
}

/** The callers stay within the bounds. */
function byteOf(bytes: Uint8Array, place: number): number {
  return bytes[place] as number;
}

function swap(state: Uint8Array, i: number, j: number): void {
  const kept = byteOf(state, i);
  state[i] = byteOf(state, j);
  state[j] = kept;
}
