import { createSHA256 } from 'hash-wasm';

// Hashes files off the main thread, in WebAssembly: `crypto.subtle` is missing over plain HTTP, and
// reads a whole file into memory.

export interface HashRequest {
  readonly id: number;
  readonly file: File;
}

export type HashReply =
  | { readonly id: number; readonly kind: 'progress'; readonly bytes: number }
  | { readonly id: number; readonly kind: 'done'; readonly sha256: string }
  | { readonly id: number; readonly kind: 'failed'; readonly reason: string };

const reply = (message: HashReply) => postMessage(message);

addEventListener('message', ({ data: { id, file } }: MessageEvent<HashRequest>) => {
  hash(file, (bytes) => reply({ id, kind: 'progress', bytes })).then(
    (sha256) => reply({ id, kind: 'done', sha256 }),
    () => reply({ id, kind: 'failed', reason: 'The browser could not read the file.' }),
  );
});

async function hash(file: File, onBytes: (bytes: number) => void): Promise<string> {
  const hasher = await createSHA256();
  let bytes = 0;
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return hasher.digest('hex');
    hasher.update(value);
    bytes += value.length;
    onBytes(bytes);
  }
}
