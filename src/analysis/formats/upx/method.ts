import { unpackLzma } from '../../codecs/lzma.ts';
import { type Nrv, unpackNrv } from './nrv.ts';

/**
 * The packing methods by their number in the block header. Method 14 is LZMA after two bytes of
 * properties:
 *
 *   u8   low three bits: pb
 *   u8   high four bits: lp, low four: lc
 */
const NRV: ReadonlyMap<number, Nrv> = new Map([
  [2, { coding: 'nrv2b', wordBits: 32 }],
  [3, { coding: 'nrv2b', wordBits: 8 }],
  [4, { coding: 'nrv2b', wordBits: 16 }],
  [5, { coding: 'nrv2d', wordBits: 32 }],
  [6, { coding: 'nrv2d', wordBits: 8 }],
  [7, { coding: 'nrv2d', wordBits: 16 }],
  [8, { coding: 'nrv2e', wordBits: 32 }],
  [9, { coding: 'nrv2e', wordBits: 8 }],
  [10, { coding: 'nrv2e', wordBits: 16 }],
]);
const LZMA = 14;

export function isMethod(method: number): boolean {
  return NRV.has(method) || method === LZMA;
}

/** Exactly `size` bytes, or `undefined`. */
export function unpackBlock(
  packed: Buffer,
  method: number,
  { size, isOver }: { readonly size: number; readonly isOver: () => boolean },
): Buffer | undefined {
  const nrv = NRV.get(method);
  if (nrv !== undefined) return unpackNrv(packed, nrv, { size, isOver });
  const [first, second] = packed;
  if (method !== LZMA || first === undefined || second === undefined) return undefined;
  const properties = { pb: first & 7, lp: second >> 4, lc: second & 15 };
  return unpackLzma(packed.subarray(2), properties, { size, isOver });
}
