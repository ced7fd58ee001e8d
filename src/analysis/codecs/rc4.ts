/** RC4, which OpenSSL no longer provides. Encryption and decryption are the same operation. */
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

/** `key` must not be empty. */
function keyedState(key: Buffer): Uint8Array {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  let j = 0;
  for (let i = 0; i < 256; i += 1) {
    j = (j + byteOf(state, i) + byteOf(key, i % key.length)) & 0xff;
    swap(state, i, j);
  }
  return state;
}

/** Callers stay within bounds. */
function byteOf(bytes: Uint8Array, index: number): number {
  return bytes[index] as number;
}

function swap(state: Uint8Array, i: number, j: number): void {
  const previous = byteOf(state, i);
  state[i] = byteOf(state, j);
  state[j] = previous;
}
