import type { OwnershipProver } from '../../ports/outgoing.ts';
import type { Dependencies } from '../dependencies.ts';

export interface OwnershipDependencies extends Pick<Dependencies, 'store' | 'now' | 'randomBytes'> {
  readonly prover: OwnershipProver;
}

/** From 0 to 1. */
export function chanceOf({ randomBytes }: Pick<Dependencies, 'randomBytes'>): number {
  const [byte = 0] = randomBytes(1);
  return byte / 255;
}
