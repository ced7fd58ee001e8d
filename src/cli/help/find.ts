import type { CommandEntry, CommandGroup } from '../command.ts';
import { type OldName, oldNames } from '../commands/old-names.ts';
import { visible } from '../output/show.ts';
import { nearest } from './nearest.ts';
import { meantBy } from './other-words.ts';

const MAX_SUGGESTIONS = 3;

interface FoundCommand {
  readonly entry: CommandEntry;
  /** What follows the name. */
  readonly args: readonly string[];
  /** The name that was typed, if it is an old one. */
  readonly old: OldName | undefined;
}

type Groups = readonly CommandGroup[];

export function allCommands(groups: Groups): readonly CommandEntry[] {
  return groups.flatMap(({ commands }) => commands);
}

/** The command that a command line starts with, by its name or an old one. */
export function findCommand(groups: Groups, args: readonly string[]): FoundCommand | undefined {
  const commands = allCommands(groups);
  const entry = startOf(args, commands);
  if (entry !== undefined) return { entry, args: args.slice(lengthOf(entry)), old: undefined };
  const old = startOf(args, oldNames);
  const current = commands.find(({ name }) => name === old?.command);
  if (old === undefined || current === undefined) return undefined;
  return { entry: current, args: args.slice(lengthOf(old)), old };
}

/** That with the longest name. */
function startOf<Named extends { readonly name: string }>(
  args: readonly string[],
  candidates: readonly Named[],
): Named | undefined {
  return candidates
    .filter(({ name }) => name.split(' ').every((word, index) => args[index] === word))
    .toSorted((one, other) => lengthOf(other) - lengthOf(one))[0];
}

function lengthOf({ name }: { readonly name: string }): number {
  return name.split(' ').length;
}

/** The commands that start with a word: `token issue` and `token list` for `token`. */
export function commandsOfGroup(groups: Groups, word: string): readonly CommandEntry[] {
  return allCommands(groups).filter(({ name }) => name.startsWith(`${word} `));
}

/** Says in three lines that the command does not exist, and which ones are similar. */
export function unknownCommand(groups: Groups, words: readonly string[]): string {
  const [word = '', verb] = words;
  if (word.startsWith('-'))
    return `the command comes before its options: found ${visible(word)}\nrapsheet help --all lists the commands`;
  const isGroup = commandsOfGroup(groups, word).length > 0;
  const typed = isGroup ? words.filter((it) => !it.startsWith('-')).join(' ') : word;
  const names = allCommands(groups).map(({ name }) => name);
  const suggestions = similarCommands(names, word, verb);
  return [
    `there is no command "${visible(typed)}"`,
    ...(suggestions.length > 0 ? [`Did you mean: ${suggestions.join(', ')}?`] : []),
    isGroup ? `rapsheet help ${word} lists its commands` : 'rapsheet help --all lists the commands',
  ].join('\n');
}

function similarCommands(
  commands: readonly string[],
  word: string,
  verb: string | undefined,
): readonly string[] {
  const names = [...commands, ...groupWords(commands)];
  const similar =
    (verb === undefined ? undefined : nearest(`${word} ${verb}`, names)) ?? nearest(word, names);
  const found =
    similar === undefined
      ? [...meantBy(word), ...replacing(word), ...withVerb(commands, word)]
      : [similar];
  return [...new Set(found)].slice(0, MAX_SUGGESTIONS).map((name) => `rapsheet ${name}`);
}

function groupWords(commands: readonly string[]): readonly string[] {
  return [...new Set(commands.flatMap((name) => name.split(' ').slice(0, -1)))];
}

/** The commands that have replaced those of a group: `report list` for `desk`. */
function replacing(word: string): readonly string[] {
  const replaced = oldNames.filter(({ name }) => name.startsWith(`${word} `));
  return [...new Set(replaced.map(({ command }) => command))];
}

/** The verb alone may be what the user remembers: `revoke`. */
function withVerb(commands: readonly string[], word: string): readonly string[] {
  return commands.filter((name) => name.endsWith(` ${word}`));
}
