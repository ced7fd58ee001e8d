import type { Trial } from './trial.ts';

/** A program that others wrote, and what shows that it works with this server. */
export interface Client {
  readonly name: string;
  readonly source: Source;
  /** What a user types or writes, as Markdown or as code alone. Only shown. */
  readonly command: string;
  /** What is compared with the answers of the API. Only shown. */
  readonly compared: string;
  /** Left out with `--short`. */
  readonly isLong?: boolean;
  /** Throws if the program read anything else than what the API says. */
  run(trial: Trial): unknown;
}

/** Where a client comes from. */
export interface Source {
  /** Why it cannot be run here, if so. */
  lacks(): string | undefined;
  version(): string;
}
