import type { FileDigests } from './analyser.ts';

/** Computes all digests of a file in one pass. */
export interface Digester {
  update(piece: Uint8Array): void;
  /** The digests of all pieces. May be called once, after the last piece. */
  digests(): FileDigests;
}

export type OpenDigester = () => Promise<Digester>;
