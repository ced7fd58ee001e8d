import type { ParseArgsOptionDescriptor } from 'node:util';
import { REFUSED_EXIT } from '../server/refusal.ts';

/** An option, with what `--help` and the manual page say of it. */
export interface CommandOption extends ParseArgsOptionDescriptor {
  /** The placeholder of the value, `<url>`, or its values, `asc|desc`. A switch has none. */
  readonly value?: string;
  /** A line without a full stop: `The address of the server`. */
  readonly description: string;
}

/** A positional argument: its description, or with `value` also its possible values: `bash|zsh`. */
export type CommandArgument = string | { readonly description: string; readonly value: string };

export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** A command line that works when pasted into the demo, and what it does. */
export interface CommandExample {
  readonly command: string;
  readonly description: string;
}

/** The options of every command. */
export const generalOptions = {
  json: { type: 'boolean', description: 'Print the result as JSON, with the members of the API' },
  help: { type: 'boolean', short: 'h', description: 'Show this help' },
} as const satisfies CommandOptions;

/**
 * A subcommand. Each has a file in `commands/`, and its name and summary in `commands/index.ts`.
 * `--help` and the completions are rendered from both. So is the manual page: run
 * `npm run generate` after a change.
 */
export interface Command {
  /**
   * The arguments after the name: `<account> [--label <text>]`, without the connection options.
   * A placeholder has angle brackets; a word without them is typed as it is: `asc|desc`.
   */
  readonly usage: string;
  /** Each positional argument of `usage`, by its name: `{ '<account>': 'The id or the name' }`. */
  readonly arguments?: Readonly<Record<string, CommandArgument>>;
  readonly options?: CommandOptions;
  readonly examples: readonly CommandExample[];
  /** The allowed number of positional arguments; none by default. */
  readonly positionals?: readonly [min: number, max: number];
  run(input: CommandInput): Promise<void>;
}

/** A command with what the list says of it. */
export interface ListedCommand extends Command {
  /** As typed after `rapsheet`: `token issue`. */
  readonly name: string;
  readonly summary: string;
}

/**
 * A command before its file is loaded. Each is loaded on demand: `rapsheet help` would need five
 * times the processor time with the imports of all of them.
 */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<ListedCommand>;
}

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandEntry[];
}

export interface CommandInput {
  /** All commands, which `help` and `completion` describe. */
  readonly groups: readonly CommandGroup[];
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
  /** The server gives no answer. */
  unreachable: 6,
  /** A server or worker ended because its store no longer admits it. */
  refused: REFUSED_EXIT,
  /** The settings are invalid (`EX_CONFIG` of sysexits.h). A restart does not help. */
  settings: 78,
} as const;

/** A failure that the user of the command line can resolve. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}
