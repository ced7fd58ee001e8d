import { RapsheetError } from '../client/error.ts';
import { ConfigError } from '../config/environment.ts';
import { Problem } from '../domain/problem.ts';
import { readArguments } from './arguments.ts';
import { type Command, CommandError, type CommandInput, EXIT } from './command.ts';
import { type CommandEntry, commands } from './commands/index.ts';
import { commandsOfGroup, unknownCommand } from './help/find.ts';
import { renderHelp } from './help/render.ts';
import { readOutput } from './output/format.ts';
import { visible } from './output/show.ts';
import { errorPrefix } from './output/style.ts';

const HELP = ['--help', '-h'];
const VERSION = ['--version', '-V'];

/** Runs one command line and returns the exit code. */
export async function runCommandLine(typed: readonly string[]): Promise<number> {
  const args = withoutSynonyms(typed);
  const entry = findCommand(args);
  const help = helpOf(args, entry);
  if (help !== undefined) {
    write(process.stdout, `${help}\n`);
    return EXIT.ok;
  }
  if (entry === undefined) return refuseCommand(args);
  const { name } = entry;
  try {
    await runCommand(await entry.load(), args.slice(name.split(' ').length));
    return EXIT.ok;
  } catch (cause) {
    const { message, exitCode } = describeFailure(cause);
    writeError(`rapsheet ${name}`, message);
    return exitCode;
  }
}

/** Without a command the program shows its help. `--version` is the command `version`. */
function withoutSynonyms([first, ...others]: readonly string[]): readonly string[] {
  if (first === undefined || HELP.includes(first)) return ['help', ...others];
  return [VERSION.includes(first) ? 'version' : first, ...others];
}

function findCommand(args: readonly string[]): CommandEntry | undefined {
  const matching = commands.filter(({ name }) =>
    name.split(' ').every((word, index) => args[index] === word),
  );
  return matching.sort((one, other) => other.name.length - one.name.length)[0];
}

/** `--help` takes precedence over everything else that is wrong with a command line. */
function helpOf(args: readonly string[], entry: CommandEntry | undefined): string | undefined {
  const end = args.indexOf('--');
  const isHelp = args.slice(0, end === -1 ? undefined : end).some((word) => HELP.includes(word));
  if (!isHelp) return undefined;
  if (entry !== undefined) return renderHelp(entry.name.split(' '), process.stdout);
  // A group with an unknown verb is an unknown command.
  return HELP.includes(args[1] ?? '') ? renderHelp(args.slice(0, 1), process.stdout) : undefined;
}

/** A group without a verb lists its commands. */
function refuseCommand(args: readonly string[]): number {
  const [word = '', verb] = args;
  if (verb === undefined && commandsOfGroup(word).length > 0)
    write(process.stderr, `${renderHelp([word], process.stderr)}\n`);
  else writeError('rapsheet', unknownCommand(args));
  return EXIT.usage;
}

async function runCommand(command: Command, args: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(command, args);
  const json = readOutput(values) === 'json';
  const input: CommandInput = {
    positionals,
    options: values,
    json,
    print: (result, text) => write(process.stdout, `${json ? JSON.stringify(result) : text}\n`),
    printMessage: (message) => write(process.stderr, `${message}\n`),
  };
  try {
    await command.run(input);
  } catch (cause) {
    if (!(cause instanceof RapsheetError)) throw cause;
    // Only a command that calls a server gets here, and has loaded the connection already.
    const [{ nameAccount }, { connectionOf }, { refusalInCommandTerms }] = await Promise.all([
      import('./credentials/refusal.ts'),
      import('./connection.ts'),
      import('./output/refusal-text.ts'),
    ]);
    throw await nameAccount(refusalInCommandTerms(cause, command), connectionOf(input));
  }
}

const PROBLEM_EXITS: Partial<Record<Problem['kind'], number>> = {
  'not-found': EXIT.absent,
  unauthenticated: EXIT.denied,
  forbidden: EXIT.denied,
  'quota-exhausted': EXIT.exhausted,
  throttled: EXIT.exhausted,
};

const CODE_EXITS: Readonly<Record<string, number>> = {
  bad_options: EXIT.usage,
  no_answer: EXIT.unreachable,
};

const STATUS_EXITS: Readonly<Record<number, number>> = {
  401: EXIT.denied,
  403: EXIT.denied,
  404: EXIT.absent,
  429: EXIT.exhausted,
};

function describeFailure(cause: unknown): { message: string; exitCode: number } {
  if (cause instanceof CommandError) return cause;
  if (cause instanceof RapsheetError) return describeRefusal(cause);
  if (cause instanceof Problem)
    return { message: reasonOf(cause), exitCode: PROBLEM_EXITS[cause.kind] ?? EXIT.failed };
  if (cause instanceof ConfigError)
    return {
      message: `the settings are invalid:\n  ${cause.problems.join('\n  ')}`,
      exitCode: EXIT.failed,
    };
  return { message: cause instanceof Error ? cause.message : String(cause), exitCode: EXIT.failed };
}

/** HTTP clients get no details of an unavailable store; an operator needs them. */
function reasonOf({ kind, message, cause }: Problem): string {
  return kind === 'unavailable' && cause instanceof Error
    ? `the store is unavailable: ${cause.message}`
    : message;
}

const UNREACHABLE =
  'Check that the server runs, or name its address with --url, RAPSHEET_URL or --profile.';

function describeRefusal({ message, code, status = 0, requestId }: RapsheetError) {
  const hints = [
    ...(code === 'no_answer' ? [UNREACHABLE] : []),
    ...(status >= 500 && requestId !== undefined ? [`The request id is ${requestId}.`] : []),
  ];
  return {
    message: visible([message, ...hints].join(' ')),
    exitCode: CODE_EXITS[code] ?? STATUS_EXITS[status] ?? EXIT.failed,
  };
}

function write(stream: NodeJS.WriteStream, text: string): void {
  stream.write(text);
}

function writeError(prefix: string, message: string): void {
  // Also texts of a server, such as the problems of a report.
  const lines = message.split('\n').map(visible).join('\n');
  write(process.stderr, `${errorPrefix(`${prefix}:`)} ${lines}\n`);
}
