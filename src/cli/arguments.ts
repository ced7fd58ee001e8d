import { parseArgs } from 'node:util';
import {
  type Command,
  CommandError,
  type CommandInput,
  type CommandOptions,
  EXIT,
  generalOptions,
  type ListedCommand,
} from './command.ts';
import { type OldName, replaceArguments } from './commands/old-names.ts';
import { nearest } from './help/nearest.ts';
import { visible } from './output/show.ts';

type Parsed = ReturnType<typeof parseLoosely>;
type OptionToken = Extract<Parsed['tokens'][number], { kind: 'option' }>;

/** The options and arguments of a command line, which an error explains if they are invalid. */
export function readArguments(
  command: ListedCommand,
  args: readonly string[],
  old?: OldName,
): Pick<CommandInput, 'positionals' | 'options'> {
  const options: CommandOptions = { ...command.options, ...generalOptions };
  const { values, positionals, tokens } = parseLoosely(options, args);
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const problem = problemOf(token, options);
    if (problem !== undefined) throw invalid(command, ...problem);
  }
  const empty = positionals.findIndex(isEmpty);
  if (empty !== -1) throw invalid(command, `${argumentName(command, empty, old)} is empty`);
  const given = { positionals, options: values };
  const read = old === undefined ? given : replaceArguments(old, given);
  checkCount(command, read.positionals);
  return read;
}

/** The parser of Node refuses the same, but does not say which option was meant. */
function parseLoosely(options: CommandOptions, args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
}

function problemOf(token: OptionToken, options: CommandOptions): readonly string[] | undefined {
  const { name, value, inlineValue } = token;
  const rawName = visible(token.rawName);
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option === undefined) {
    const similar = nearest(name, Object.keys(options));
    return [
      `there is no option ${rawName}`,
      ...(similar === undefined ? [] : [`Did you mean: --${similar}?`]),
    ];
  }
  if (option.type === 'boolean')
    return value === undefined ? undefined : [`${rawName} takes no value`];
  const shown = `${rawName} ${option.value ?? '<value>'}`;
  if (value === undefined) return [`${rawName} needs a value: ${shown}`];
  if (!inlineValue && value.length > 1 && value.startsWith('-'))
    return [
      `${rawName} needs a value: ${shown}`,
      `A value that starts with a dash: ${rawName}=${value}`,
    ];
  if (isEmpty(value)) return [`${rawName} is empty: ${shown}`];
  return wrongChoice(rawName, option.value, value);
}

/** An unset variable of a script is an empty argument, which would mean another path or none. */
function isEmpty(text: string): boolean {
  return text.trim() === '';
}

/** Words without a placeholder: `asc|desc`, but not `<time>|never`. */
const CHOICES = /^[a-z][a-z_.]*(?:\|[a-z][a-z_.]*)+$/;

function wrongChoice(rawName: string, choices = '', value: string): readonly string[] | undefined {
  if (!CHOICES.test(choices)) return undefined;
  const words = choices.split('|');
  if (words.includes(value)) return undefined;
  const similar = nearest(value, words);
  return [
    `${rawName} must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
    ...(similar === undefined ? [] : [`Did you mean: ${rawName} ${similar}?`]),
  ];
}

function checkCount(command: ListedCommand, positionals: readonly string[]): void {
  const [min, max] = command.positionals ?? [0, 0];
  const { length } = positionals;
  if (length < min) throw invalid(command, `${argumentName(command, length)} is missing`);
  if (length > max)
    throw invalid(
      command,
      max === 0
        ? `there are no arguments: found ${JSON.stringify(positionals[0])}`
        : `there is one argument too many: ${JSON.stringify(positionals[max])}`,
    );
}

/** An old name has other arguments, so their descriptions may not fit. */
function argumentName(
  { arguments: described = {} }: Command,
  index: number,
  old?: OldName,
): string {
  if (old !== undefined) return `argument ${index + 1}`;
  const names = Object.keys(described);
  const name = names[index] ?? names.at(-1) ?? 'an argument';
  const argument = described[name];
  if (argument === undefined) return name;
  const description = typeof argument === 'string' ? argument : argument.description;
  return `${name} (${decapitalised(description)})`;
}

function decapitalised(text: string): string {
  return /^[A-Z][a-z ]/.test(text) ? `${text.slice(0, 1).toLowerCase()}${text.slice(1)}` : text;
}

function invalid({ name }: ListedCommand, ...lines: readonly string[]): CommandError {
  return new CommandError(
    [...lines, `rapsheet help ${name} shows its arguments and options`].join('\n'),
    EXIT.usage,
  );
}
