import type { Proposal } from '../../../src/client/wire.ts';

/** A C2 in the settings of a file that can be reported. */
export interface ReportableC2 extends Pick<Proposal, 'service' | 'c2Address' | 'file256Hash'> {
  /** The proposal; absent if nothing was proposed to this account. */
  readonly id?: string;
  readonly tags: readonly string[];
}
