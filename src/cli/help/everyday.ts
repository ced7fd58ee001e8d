import type { CommandEntry, CommandGroup } from '../command.ts';
import { allCommands } from './find.ts';

/** The commands of every day, which the program shows without arguments. */
const EVERYDAY: readonly CommandSection[] = [
  ['Run a server', ['serve', 'service add', 'account add', 'account link', 'backup']],
  ['Use a server', ['login', 'whoami', 'search', 'lookup', 'usage show']],
  [
    'Report, answer, block',
    ['sample add', 'report add', 'report list', 'report set', 'feed export'],
  ],
];

type CommandSection = readonly [title: string, names: readonly string[]];

export function everydayGroups(groups: readonly CommandGroup[]): readonly CommandGroup[] {
  const byName = new Map(allCommands(groups).map((entry) => [entry.name, entry]));
  return EVERYDAY.map(([title, names]) => ({
    title,
    commands: names.map((name) => byName.get(name)).filter(isPresent),
  }));
}

function isPresent(entry: CommandEntry | undefined): entry is CommandEntry {
  return entry !== undefined;
}
