import type { FileDigests } from './analyser.ts';

/** Takes all digests of a file while it passes by. */
export interface Digester {
  update(piece: Uint8Array): void;
  /** Of all pieces so far, which were the last ones: it can be asked once. */
  digests(): FileDigests;
}

export type OpenDigester = () => Promise<Digester>;
