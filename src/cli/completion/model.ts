import {
  type DescribedCommand,
  type DescribedOption,
  optionSections,
} from '../help/described-command.ts';

/** What a shell offers for a value: words, names of files, or nothing. */
export interface Choices {
  readonly words: readonly string[];
  readonly files: boolean;
}

export interface CompletedOption extends DescribedOption {
  readonly choices: Choices;
}

interface CompletedArgument {
  readonly choices: Choices;
  readonly description: string;
  /** Whether it is the last one and can be repeated. */
  readonly variadic: boolean;
}

export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  readonly arguments: readonly CompletedArgument[];
}

/** The first word of command lines. */
export interface CompletedWord {
  readonly word: string;
  readonly summary: string;
  /** The second words, if it is the name of a group. */
  readonly verbs: readonly { readonly word: string; readonly summary: string }[];
}

export interface CompletionModel {
  readonly commands: readonly CompletedCommand[];
  readonly words: readonly CompletedWord[];
}

export function completionModel(described: readonly DescribedCommand[]): CompletionModel {
  return { commands: described.map(completed), words: firstWords(described) };
}

function completed(command: DescribedCommand): CompletedCommand {
  const options = optionSections(command).flatMap((section) => section.options);
  return {
    name: command.name,
    summary: command.summary,
    options: options.map((option) => ({ ...option, choices: choicesOf(option.value ?? '') })),
    arguments: command.arguments.map(({ name, value, description }) => ({
      choices: choicesOf(value ?? name),
      description,
      variadic: name.endsWith('…'),
    })),
  };
}

function firstWords(commands: readonly DescribedCommand[]): readonly CompletedWord[] {
  const words = new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''));
  return [...words].map((word) => {
    const members = commands.filter(({ name }) => name.startsWith(`${word} `));
    const verbs = members.map(({ name, summary }) => ({
      word: name.slice(word.length + 1),
      summary,
    }));
    const summary = commands.find(({ name }) => name === word)?.summary;
    return { word, verbs, summary: summary ?? verbs.map((verb) => verb.word).join(', ') };
  });
}

const ALTERNATIVE = /<[^>]*>|[^|]+/g;
const FILE = /^<(?:file|path|folder)[>.|]/;

/** `asc|desc` are words, `<file.json|->` is a file, `<n>|unlimited` is anything or a word. */
function choicesOf(value: string): Choices {
  const alternatives = value.replace(/…$/, '').match(ALTERNATIVE) ?? [];
  return {
    words: alternatives.filter((text) => !/[<-]/.test(text.slice(0, 1))),
    files: alternatives.some((text) => FILE.test(text)),
  };
}
