import { constants, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

export interface Inflated {
  readonly bytes: Buffer;
  /** Whether there was more than the caller wanted. */
  readonly cut: boolean;
}

export type Deflated = 'zlib' | 'raw' | 'gzip';

const OPENERS = { zlib: createInflate, raw: createInflateRaw, gzip: createGunzip } as const;

/**
 * Unpacks at most `most` bytes. What is damaged or cut off gives what came before the damage: readers of
 * documents and scripts are as forgiving, and that is where hostile content hides.
 */
export function inflateAtMost(packed: Buffer, kind: Deflated, most: number): Promise<Inflated> {
  return new Promise((resolve) => {
    const stream = OPENERS[kind]({ finishFlush: constants.Z_SYNC_FLUSH });
    const parts: Buffer[] = [];
    let length = 0;
    const finish = (cut: boolean) => {
      resolve({ bytes: Buffer.concat(parts).subarray(0, most), cut });
      stream.destroy();
    };
    stream.on('data', (part: Buffer) => {
      parts.push(part);
      length += part.length;
      if (length > most) finish(true);
    });
    stream.on('end', () => finish(false));
    stream.on('error', () => finish(false));
    stream.end(packed);
  });
}
