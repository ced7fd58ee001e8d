import { parseArgs } from 'node:util';
import { RapsheetError } from '../client/error.ts';
import { ConfigError } from '../config/environment.ts';
import { Problem } from '../domain/problem.ts';
import { type Command, CommandError, EXIT } from './command.ts';
import { type CommandEntry, commands, groups } from './commands/index.ts';
import { visible } from './output/show.ts';

/** Runs one command line and says how the process should end. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  const found = findCommand(words);
  if (found === undefined) {
    const asked = words.length === 0 || ['help', '--help', '-h'].includes(words[0] ?? '');
    const all = await overview();
    write(
      asked ? process.stdout : process.stderr,
      asked ? all : `unknown command: ${words.join(' ')}\n\n${all}`,
    );
    return asked ? EXIT.ok : EXIT.usage;
  }
  const { name } = found;
  try {
    await runCommand(await found.load(), words.slice(name.split(' ').length));
    return EXIT.ok;
  } catch (cause) {
    const { message, exitCode } = explain(cause);
    write(process.stderr, `rapsheet ${name}: ${message}\n`);
    return exitCode;
  }
}

function findCommand(words: readonly string[]): CommandEntry | undefined {
  const matching = commands.filter(({ name }) =>
    name.split(' ').every((word, place) => words[place] === word),
  );
  return matching.sort((one, other) => other.name.length - one.name.length)[0];
}

async function runCommand(command: Command, rest: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(command, rest);
  if (values['help'] === true)
    return write(process.stdout, `${usageOf(command)}\n${command.summary}\n`);
  const [least, most] = command.words ?? [0, 0];
  if (positionals.length < least || positionals.length > most) throw wrongUsage(command);
  const json = values['json'] === true;
  await command.run({
    words: positionals,
    options: values,
    json,
    print: (result, text) => write(process.stdout, `${json ? JSON.stringify(result) : text}\n`),
    tell: (message) => write(process.stderr, `${message}\n`),
  });
}

function readArguments(command: Command, rest: readonly string[]) {
  try {
    return parseArgs({
      args: [...rest],
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

function wrongUsage(command: Command): CommandError {
  return new CommandError(usageOf(command), EXIT.usage);
}

function usageOf({ name, usage }: Command): string {
  return `usage: rapsheet ${name} ${usage}`.trimEnd();
}

async function overview(): Promise<string> {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const sections: string[] = [];
  for (const { title, commands } of groups) {
    const shown = await Promise.all(commands.map(({ load }) => load()));
    const lines = shown.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
    sections.push([`${title}:`, ...lines].join('\n'));
  }
  return `rapsheet <command> [options]\n\n${sections.join('\n\n')}\n\n--json gives results as JSON; --help after a command shows how to call it.\n`;
}

const PROBLEM_EXITS: Partial<Record<Problem['kind'], number>> = {
  'not-found': EXIT.absent,
  unauthenticated: EXIT.denied,
  forbidden: EXIT.denied,
  'quota-exhausted': EXIT.exhausted,
  throttled: EXIT.exhausted,
};

const STATUS_EXITS: Readonly<Record<number, number>> = {
  401: EXIT.denied,
  403: EXIT.denied,
  404: EXIT.absent,
  429: EXIT.exhausted,
};

function explain(cause: unknown): { message: string; exitCode: number } {
  if (cause instanceof CommandError) return cause;
  if (cause instanceof RapsheetError) return explainRefusal(cause);
  if (cause instanceof Problem)
    return { message: reasonOf(cause), exitCode: PROBLEM_EXITS[cause.kind] ?? EXIT.failed };
  if (cause instanceof ConfigError)
    return {
      message: `the settings are not right:\n  ${cause.problems.join('\n  ')}`,
      exitCode: EXIT.failed,
    };
  return { message: cause instanceof Error ? cause.message : String(cause), exitCode: EXIT.failed };
}

/** Callers of the service are not told what failed; whoever works on the store itself has to know. */
function reasonOf({ kind, message, cause }: Problem): string {
  return kind === 'unavailable' && cause instanceof Error
    ? `the store is unavailable: ${cause.message}`
    : message;
}

function explainRefusal({ message, code, status = 0, requestId }: RapsheetError) {
  const hints = [
    ...(code === 'no_answer' ? ['--url or RAPSHEET_URL says where the server is.'] : []),
    ...(status >= 500 && requestId !== undefined ? [`The request was ${requestId}.`] : []),
  ];
  return {
    message: visible([message, ...hints].join(' ')),
    exitCode: code === 'bad_options' ? EXIT.usage : (STATUS_EXITS[status] ?? EXIT.failed),
  };
}

function write(stream: NodeJS.WriteStream, text: string): void {
  stream.write(text);
}
