import { parseArgs } from 'node:util';
import { RapsheetError } from '../client/error.ts';
import { ConfigError } from '../config/environment.ts';
import { Problem } from '../domain/problem.ts';
import { type Command, CommandError, EXIT } from './command.ts';
import { type CommandEntry, commands, groups } from './commands/index.ts';
import { readOutput } from './output/format.ts';
import { visible } from './output/show.ts';

/** Runs one command line and returns the exit code. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  const entry = findCommand(args);
  if (entry === undefined) {
    const isHelp = args.length === 0 || ['help', '--help', '-h'].includes(args[0] ?? '');
    const help = await overview();
    write(
      isHelp ? process.stdout : process.stderr,
      isHelp ? help : `unknown command: ${args.join(' ')}\n\n${help}`,
    );
    return isHelp ? EXIT.ok : EXIT.usage;
  }
  const { name } = entry;
  try {
    await runCommand(await entry.load(), args.slice(name.split(' ').length));
    return EXIT.ok;
  } catch (cause) {
    const { message, exitCode } = describeFailure(cause);
    write(process.stderr, `rapsheet ${name}: ${message}\n`);
    return exitCode;
  }
}

function findCommand(args: readonly string[]): CommandEntry | undefined {
  const matching = commands.filter(({ name }) =>
    name.split(' ').every((word, index) => args[index] === word),
  );
  return matching.sort((one, other) => other.name.length - one.name.length)[0];
}

async function runCommand(command: Command, args: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(command, args);
  if (values['help'] === true)
    return write(process.stdout, `${usageOf(command)}\n${command.summary}\n`);
  const [min, max] = command.positionals ?? [0, 0];
  if (positionals.length < min || positionals.length > max)
    throw new CommandError(usageOf(command), EXIT.usage);
  const json = readOutput(values) === 'json';
  await command.run({
    positionals,
    options: values,
    json,
    print: (result, text) => write(process.stdout, `${json ? JSON.stringify(result) : text}\n`),
    printMessage: (message) => write(process.stderr, `${message}\n`),
  });
}

function readArguments(command: Command, args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...command.options,
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (cause) {
    throw new CommandError(`${(cause as Error).message}\n${usageOf(command)}`, EXIT.usage);
  }
}

function usageOf({ name, usage }: Command): string {
  return `usage: rapsheet ${name} ${usage}`.trimEnd();
}

async function overview(): Promise<string> {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const sections: string[] = [];
  for (const { title, commands } of groups) {
    const loaded = await Promise.all(commands.map(({ load }) => load()));
    const lines = loaded.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
    sections.push([`${title}:`, ...lines].join('\n'));
  }
  return `rapsheet <command> [options]\n\n${sections.join('\n\n')}\n\n--json prints results as JSON; --help after a command shows its usage.\n`;
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

function describeRefusal({ message, code, status = 0, requestId }: RapsheetError) {
  const hints = [
    ...(code === 'no_answer' ? ['Set the address of the server with --url or RAPSHEET_URL.'] : []),
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
