import type { Target } from './target.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

/** Measurements of the server during a load case. */
export interface Measures {
  /** Peak resident memory minus that of the idle server. */
  readonly grownMb: number;
  /** The longest turn of the event loop, in CPU time. */
  readonly turnCpuMs: number;
  readonly turnWallMs: number;
  /** The slowest response of `/livez`, which is polled during the case. */
  readonly livezMs: number;
}

/**
 * One attack, and the reaction of a safe server. Cases are black-box tests: they use the network,
 * the command line and `/proc`; of `src/` only the typed client.
 */
export interface AttackCase {
  /** What the attacker does. */
  readonly name: string;
  /** What a safe server does. */
  readonly safe: string;
  /** Runs on a separate server, whose memory and event loop are measured. */
  readonly isLoad?: boolean;
  /** The limit of `grownMb`, if it is not the default. */
  readonly maxGrownMb?: number;
  /** The limit of `turnCpuMs`, if it is not the default. */
  readonly maxTurnMs?: number;
  /** Left out of the short form. */
  readonly isLong?: boolean;
  /** Settings of the server of a load case. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The database to which the case applies; both if absent. */
  readonly database?: DatabaseKind;
  /** Fills the server of a load case before it is measured. */
  prepare?(target: Target): Promise<void>;
  /** Returns a sentence for each unsafe reaction. */
  run(target: Target): Promise<readonly string[]>;
}
