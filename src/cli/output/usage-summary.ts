import type { Usage } from '../../client/wire.ts';
import type { CommandInput } from '../command.ts';
import { type Columns, printList } from './list.ts';
import { table } from './table.ts';

type UsageDays = Usage['days'];
type UsageEntry = UsageDays[number]['entries'][number];
type ReadPage = (cursor: string | undefined) => Promise<Usage>;

/** Prints the units of each day, and what they were charged for in all days together. */
export async function printUsage(input: CommandInput, readPage: ReadPage): Promise<void> {
  const days = await readAll(readPage);
  const charged = days.filter(({ units }) => units > 0);
  if (charged.length === 0) input.printMessage('No lookup was charged in these days.');
  const missing = sum(charged) - sum(charged.flatMap(({ entries }) => entries));
  if (missing > 0)
    input.printMessage(
      `${missing} of these units are not itemised: they are older than the list of charges.`,
    );
  printList(input, {
    result: { days, successful: true },
    columns: chargeColumns,
    rows: charged.flatMap(chargesOf),
    text: () => [dayTable(charged), entryTable(charged)].join('\n\n').trim(),
  });
}

interface Charge extends Partial<UsageEntry> {
  readonly day: string;
  readonly units: number;
}

const chargeColumns: Columns<Charge> = [
  { name: 'day', value: ({ day }) => day },
  { name: 'units', value: ({ units }) => units },
  { name: 'operation', value: ({ operation }) => operation },
  { name: 'token', value: ({ token }) => token?.id },
  { name: 'label', value: ({ token }) => token?.label },
  { name: 'first_at', value: ({ firstAt }) => firstAt },
  { name: 'last_at', value: ({ lastAt }) => lastAt },
];

/** What is not itemised is an entry of its own, so that the units add up. */
function chargesOf({ day, units, entries }: UsageDays[number]): readonly Charge[] {
  const rest = units - sum(entries);
  return [
    ...entries.map((entry) => ({ ...entry, day })),
    ...(rest > 0 ? [{ day, units: rest }] : []),
  ];
}

/** All days with the entries of all pages. */
async function readAll(readPage: ReadPage): Promise<UsageDays> {
  const pages = [await readPage(undefined)];
  for (let last = pages[0]; last?.nextCursor != null; last = pages.at(-1))
    pages.push(await readPage(last.nextCursor));
  const entries = Map.groupBy(
    pages.flatMap(({ days }) => days),
    ({ day }) => day,
  );
  return (pages[0]?.days ?? []).map((one) => ({
    ...one,
    entries: entries.get(one.day)?.flatMap((page) => page.entries) ?? [],
  }));
}

function dayTable(days: UsageDays): string {
  if (days.length === 0) return '';
  return table(
    ['DAY', 'UNITS'],
    days.map(({ day, units }) => [day, String(units)]),
  );
}

function entryTable(days: UsageDays): string {
  const groups = Map.groupBy(
    days.flatMap(({ entries }) => entries),
    ({ token, operation }) => `${operation} ${token?.id ?? ''}`,
  );
  if (groups.size === 0) return '';
  const rows = [...groups.values()].map((entries) => ({ units: sum(entries), entries }));
  return table(
    ['TOKEN', 'OPERATION', 'UNITS', 'FIRST', 'LAST'],
    rows
      .toSorted((one, other) => other.units - one.units)
      .map(({ units, entries }) => [
        nameOf(entries[0]?.token ?? null),
        entries[0]?.operation ?? '',
        String(units),
        entries.map(({ firstAt }) => firstAt).toSorted()[0] ?? '',
        entries
          .map(({ lastAt }) => lastAt)
          .toSorted()
          .at(-1) ?? '',
      ]),
  );
}

function nameOf(token: UsageEntry['token']): string {
  if (token === null) return 'sign-in link';
  return token.label === '' ? token.hint : token.label;
}

function sum(list: readonly { readonly units: number }[]): number {
  return list.reduce((total, { units }) => total + units, 0);
}
