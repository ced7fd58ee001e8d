import type { CommandEntry, CommandGroup } from '../command.ts';
import { heading } from '../output/style.ts';
import {
  type DescribedArgument,
  type DescribedCommand,
  type DescribedOption,
  describeCommand,
  type OptionSection,
  optionSections,
} from './described-command.ts';
import { everydayGroups } from './everyday.ts';
import { allCommands, commandsOfGroup, findCommand } from './find.ts';
import { continued, fill, labelWidth, twoColumns, usageParts, widthOf, wrap } from './layout.ts';

type Stream = NodeJS.WritableStream & { readonly columns?: number };

/**
 * The help of a command, of a group of commands or, without words, of the program: the commands of
 * every day. `renderAll` has all.
 */
export async function renderHelp(
  groups: readonly CommandGroup[],
  words: readonly string[],
  stream: Stream,
): Promise<string | undefined> {
  if (words.length === 0) return renderEveryday(groups, stream);
  const name = words.join(' ');
  const group = commandsOfGroup(groups, name);
  if (group.length > 0) return renderGroup(name, group, stream);
  const found = findCommand(groups, words);
  if (found === undefined || found.args.length > 0) return undefined;
  return renderCommand(describeCommand(await found.entry.load()), stream);
}

function renderEveryday(groups: readonly CommandGroup[], stream: Stream): string {
  const others = allCommands(groups).length - allCommands(everydayGroups(groups)).length;
  return [
    ...overview(everydayGroups(groups), stream),
    `rapsheet help --all lists ${others} more commands.`,
    HOW_TO_GO_ON,
  ].join('\n');
}

export function renderAll(groups: readonly CommandGroup[], stream: Stream): string {
  return [...overview(groups, stream), HOW_TO_GO_ON].join('\n');
}

const HOW_TO_GO_ON = 'rapsheet help <command> shows the options of a command, with examples.';

function overview(groups: readonly CommandGroup[], stream: Stream): readonly string[] {
  const width = widthOf(stream);
  const label = labelWidth(allCommands(groups).map(({ name }) => name));
  return [
    ...section('Usage', ['  rapsheet <command> [options]'], stream),
    ...groups.flatMap(({ title, commands }) =>
      section(title, twoColumns(commands.map(summaryRow), { width, label }), stream),
    ),
  ];
}

function renderGroup(word: string, commands: readonly CommandEntry[], stream: Stream): string {
  const label = labelWidth(commands.map(({ name }) => name));
  const rows = twoColumns(commands.map(summaryRow), { width: widthOf(stream), label });
  return [
    ...section('Usage', [`  rapsheet ${word} <command> [options]`], stream),
    ...section('Commands', rows, stream),
    `rapsheet help ${word} <command> shows the options of a command, with examples.`,
  ].join('\n');
}

function summaryRow({ name, summary }: CommandEntry) {
  return [name, summary] as const;
}

function renderCommand(command: DescribedCommand, stream: Stream): string {
  const width = widthOf(stream);
  const tables = [argumentTable(command), ...optionSections(command).map(optionTable)];
  const label = labelWidth(tables.flatMap(({ rows }) => rows.map(([text]) => text)));
  const lines = [
    ...wrap(command.summary, width),
    '',
    ...section('Usage', usageLines(command, width), stream),
    ...tables.flatMap(({ title, rows }) =>
      section(title, twoColumns(rows, { width, label }), stream),
    ),
    ...section('Examples', exampleLines(command, width), stream),
  ];
  return lines.join('\n').trimEnd();
}

interface Table {
  readonly title: string;
  readonly rows: readonly (readonly [label: string, description: string])[];
}

function argumentTable(command: DescribedCommand): Table {
  return { title: 'Arguments', rows: command.arguments.map(argumentRow) };
}

function argumentRow({ name, value, description }: DescribedArgument) {
  const values = value === undefined ? '' : `: ${value.replaceAll('|', ', ')}`;
  return [name, `${description}${values}`] as const;
}

function optionTable({ title, options }: OptionSection): Table {
  return {
    title,
    rows: options.map((option) => [optionLabel(option), option.description] as const),
  };
}

function optionLabel({ name, short, value, multiple }: DescribedOption): string {
  const names = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return value === undefined ? names : `${names} ${value}${multiple === true ? '…' : ''}`;
}

function section(title: string, lines: readonly string[], stream: Stream): readonly string[] {
  return lines.length === 0 ? [] : [heading(title, stream), ...lines, ''];
}

/** Further lines of the usage are aligned after the name of the command. */
function usageLines({ name, usage }: DescribedCommand, width: number): readonly string[] {
  const start = `  rapsheet ${name} `;
  const parts = usageParts(usage).flatMap((part) =>
    part.length > width - start.length ? part.split(' ') : [part],
  );
  const [first = '', ...others] = fill(parts, width - start.length);
  return [
    `${start}${first}`.trimEnd(),
    ...others.map((line) => line.padStart(start.length + line.length)),
  ];
}

function exampleLines({ examples }: DescribedCommand, width: number): readonly string[] {
  return examples.flatMap(({ command, description }) => [
    ...wrap(`${description}:`, width - 2).map((line) => `  ${line}`),
    ...continued(command, width - 4).map((line) => `    ${line}`),
  ]);
}
