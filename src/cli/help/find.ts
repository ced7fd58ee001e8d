import { visible } from '../output/show.ts';
import { catalogue } from './catalogue.ts';
import type { DescribedCommand } from './described-command.ts';
import { nearest } from './nearest.ts';

const MAX_SUGGESTIONS = 3;

export const described: readonly DescribedCommand[] = catalogue.groups.flatMap(
  ({ commands }) => commands,
);

export function findDescribed(name: string): DescribedCommand | undefined {
  return described.find((command) => command.name === name);
}

/** The commands that start with a word: `token issue` and `token list` for `token`. */
export function commandsOfGroup(word: string): readonly DescribedCommand[] {
  return described.filter(({ name }) => name.startsWith(`${word} `));
}

/** Says in three lines that the command does not exist, and which ones are similar. */
export function unknownCommand(words: readonly string[]): string {
  const [word = '', verb] = words;
  if (word.startsWith('-'))
    return `the command comes before its options: found ${visible(word)}\nrapsheet help lists the commands`;
  const isGroup = commandsOfGroup(word).length > 0;
  const typed = isGroup ? words.filter((it) => !it.startsWith('-')).join(' ') : word;
  const suggestions = similarCommands(word, verb);
  return [
    `there is no command "${visible(typed)}"`,
    ...(suggestions.length > 0 ? [`Did you mean: ${suggestions.join(', ')}?`] : []),
    isGroup ? `rapsheet help ${word} lists its commands` : 'rapsheet help lists the commands',
  ].join('\n');
}

function similarCommands(word: string, verb: string | undefined): readonly string[] {
  const names = [...described.map(({ name }) => name), ...groupWords()];
  const similar =
    (verb === undefined ? undefined : nearest(`${word} ${verb}`, names)) ?? nearest(word, names);
  const found = similar === undefined ? withVerb(word) : [similar];
  return found.map((name) => `rapsheet ${name}`);
}

function groupWords(): readonly string[] {
  return [...new Set(described.flatMap(({ name }) => name.split(' ').slice(0, -1)))];
}

/** The verb alone may be what the user remembers: `revoke`. */
function withVerb(word: string): readonly string[] {
  const names = described.map(({ name }) => name);
  return names.filter((name) => name.endsWith(` ${word}`)).slice(0, MAX_SUGGESTIONS);
}
