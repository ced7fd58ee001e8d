import type { ParseArgsOptionsConfig } from 'node:util';

/** One subcommand: a file of its own in `commands/`, and a line in `commands/index.ts`. */
export interface Command {
  /** The words it is called by: `token issue`. */
  readonly name: string;
  /** What stands behind the words: `<account> [--label <text>]`. */
  readonly usage: string;
  readonly summary: string;
  readonly options?: ParseArgsOptionsConfig;
  /** How many words it takes besides options; 0 and 0 by default. */
  readonly words?: readonly [least: number, most: number];
  run(input: CommandInput): Promise<void>;
}

export interface CommandInput {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly json: boolean;
  /** Results go to standard output: as one JSON value with `--json`, else as that text. */
  print(result: unknown, text: string): void;
  /** Everything else goes to standard error. */
  tell(message: string): void;
}

/** Documented in `docs/operations/command-line.md`. */
export const EXIT = {
  ok: 0,
  /** It could not be done: the server or the store refused, or something failed. */
  failed: 1,
  /** The command line itself was wrong. */
  usage: 2,
  /** What was asked for does not exist. */
  absent: 3,
  /** The token is missing, not valid, or not allowed to do this. */
  denied: 4,
  /** The quota is used up, or too many calls were made. */
  exhausted: 5,
} as const;

/** A failure that the person at the terminal can do something about. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}
