import type { ParseArgsOptionsConfig } from 'node:util';

/** A subcommand. Each has a file in `commands/` and an entry in `commands/index.ts`. */
export interface Command {
  /** As typed after `rapsheet`: `token issue`. */
  readonly name: string;
  /** The arguments after the name: `<account> [--label <text>]`. */
  readonly usage: string;
  readonly summary: string;
  readonly options?: ParseArgsOptionsConfig;
  /** The allowed number of positional arguments; none by default. */
  readonly positionals?: readonly [min: number, max: number];
  run(input: CommandInput): Promise<void>;
}

export interface CommandInput {
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly json: boolean;
  /** Writes a result to standard output: as one JSON value with `--json`, else as `text`. */
  print(result: unknown, text: string): void;
  /** Writes a message that is not a result to standard error. */
  printMessage(message: string): void;
}

/** Documented in `docs/operations/command-line.md`. */
export const EXIT = {
  ok: 0,
  /** The server or the store refused the command, or an error occurred. */
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** The requested object does not exist. */
  absent: 3,
  /** The token is missing, invalid or lacks the permission. */
  denied: 4,
  /** The quota is exhausted, or the calls are throttled. */
  exhausted: 5,
} as const;

/** A failure that the user of the command line can resolve. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}
