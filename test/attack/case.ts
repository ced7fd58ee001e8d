import type { Target } from './target.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

/** What a load case measured of the server while it ran. */
export interface Measures {
  /** Resident memory at its highest, over what the idle server had before. */
  readonly grownMb: number;
  /** The longest turn of the event loop, in processor time. */
  readonly turnCpuMs: number;
  readonly turnWallMs: number;
  /** The slowest answer of `/livez`, which was asked for all the time. */
  readonly livezMs: number;
}

/**
 * One attack: what is done, and what a safe server does. A case is black-box: it uses the network,
 * the command line and what the operating system shows of the process, nothing of `src/` but the
 * typed client.
 */
export interface AttackCase {
  /** What the attacker does. */
  readonly name: string;
  /** What a safe server does. */
  readonly safe: string;
  /**
   * Takes long or needs much memory: runs on a server of its own, with its memory and its turns
   * measured.
   */
  readonly isLoad?: boolean;
  /** How much memory it may take over the idle server, where that is not the bound of all. */
  readonly maxGrownMb?: number;
  /** Left out of the short form. */
  readonly isLong?: boolean;
  /** Settings of the server of its own that a load case gets. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where it applies, if not everywhere. */
  readonly database?: DatabaseKind;
  /** Fills the server of a load case before it is measured. */
  prepare?(target: Target): Promise<void>;
  /** Returns what was unsafe. */
  run(target: Target): Promise<readonly string[]>;
}
