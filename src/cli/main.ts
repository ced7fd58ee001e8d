import { RapsheetError } from '../client/error.ts';
import { ConfigError } from '../config/environment.ts';
import { Problem } from '../domain/problem.ts';
import { readArguments } from './arguments.ts';
import { CommandError, type CommandInput, EXIT, type ListedCommand } from './command.ts';
import { groups } from './commands/index.ts';
import { describeOldName, type OldName } from './commands/old-names.ts';
import { commandsOfGroup, findCommand, unknownCommand } from './help/find.ts';
import { renderHelp } from './help/render.ts';
import { readOutput } from './output/format.ts';
import { visible } from './output/show.ts';
import { errorPrefix } from './output/style.ts';

const HELP = ['--help', '-h'];
const VERSION = ['--version', '-V'];

/** Runs one command line and returns the exit code. */
export async function runCommandLine(typed: readonly string[]): Promise<number> {
  const args = withoutSynonyms(typed);
  const found = isGroupHelp(args) ? undefined : findCommand(groups, args);
  if (found?.old !== undefined) write(process.stderr, `${describeOldName(found.old)}\n`);
  const help = await helpOf(args, found?.entry.name);
  if (help !== undefined) {
    write(process.stdout, `${help}\n`);
    return EXIT.ok;
  }
  if (found === undefined) return refuseCommand(args);
  const { name } = found.entry;
  try {
    await runCommand(await found.entry.load(), found.args, found.old);
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

/** `rapsheet report --help` is about all commands for reports, although that was one command. */
function isGroupHelp([word = '', option = '']: readonly string[]): boolean {
  return HELP.includes(option) && commandsOfGroup(groups, word).length > 0;
}

/** `--help` takes precedence over everything else that is wrong with a command line. */
async function helpOf(
  args: readonly string[],
  command: string | undefined,
): Promise<string | undefined> {
  const end = args.indexOf('--');
  const isHelp = args.slice(0, end === -1 ? undefined : end).some((word) => HELP.includes(word));
  if (!isHelp) return undefined;
  if (command !== undefined) return renderHelp(groups, command.split(' '), process.stdout);
  // A group with an unknown verb is an unknown command.
  return HELP.includes(args[1] ?? '')
    ? renderHelp(groups, args.slice(0, 1), process.stdout)
    : undefined;
}

/** A group without a verb lists its commands. */
async function refuseCommand(args: readonly string[]): Promise<number> {
  const [word = '', verb] = args;
  if (verb === undefined && commandsOfGroup(groups, word).length > 0)
    write(process.stderr, `${await renderHelp(groups, [word], process.stderr)}\n`);
  else writeError('rapsheet', unknownCommand(groups, args));
  return EXIT.usage;
}

async function runCommand(
  command: ListedCommand,
  args: readonly string[],
  old: OldName | undefined,
): Promise<void> {
  const { options, positionals } = readArguments(command, args, old);
  const json = readOutput(options) === 'json';
  const input: CommandInput = {
    groups,
    positionals,
    options,
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
      exitCode: EXIT.settings,
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
  // The text may come from a server, such as the problems of a report.
  const lines = message.split('\n').map(visible).join('\n');
  write(process.stderr, `${errorPrefix(`${prefix}:`)} ${lines}\n`);
}
