import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

const PIECE_BYTES = 1 << 20;

export async function* readPieces(file: string): AsyncGenerator<Buffer> {
  yield* createReadStream(file, { highWaterMark: PIECE_BYTES });
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of readPieces(file)) hash.update(piece);
  return hash.digest('hex');
}
