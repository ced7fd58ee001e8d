import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { UsageDay, UsageEntry } from '../../../../src/client/wire.ts';
import { dayUsageQuery } from '../../api/account.ts';
import { Button } from '../../components/button.tsx';
import { SelectField } from '../../components/field.tsx';
import { Time } from '../../components/marks/time.tsx';
import { type Bar, BarList } from '../../components/plots/bar-list.tsx';
import { Failure, Skeleton } from '../../components/states.tsx';
import { count, formatNumber } from '../../text/format.ts';
import { visible } from '../../text/visible.ts';
import styles from './account-page.module.css';

interface Props {
  readonly days: readonly UsageDay[];
  /** There are older entries than those of the days. */
  readonly isCut: boolean;
}

/** What units were charged for: over all days by operation and by token, and on one day. */
export function Charges({ days, isCut }: Props) {
  const charged = days.filter(({ units }) => units > 0).toReversed();
  const [newest] = charged;
  const [chosen, setChosen] = useState<string>();
  if (newest === undefined) return null;
  const entries = charged.flatMap((day) => day.entries);
  const shown = charged.find(({ day }) => day === chosen) ?? newest;
  return (
    <>
      {entries.length > 0 && <Sums entries={entries} isCut={isCut} />}
      <div className={styles['day']}>
        <SelectField
          label="What was charged on"
          value={shown.day}
          onChange={({ target }) => setChosen(target.value)}
          options={charged.map(({ day, units }) => ({
            value: day,
            label: `${day}: ${count(units, 'unit')}`,
          }))}
        />
      </div>
      <DayTable key={shown.day} day={shown} />
    </>
  );
}

function Sums({
  entries,
  isCut,
}: Pick<Props, 'isCut'> & { readonly entries: readonly UsageEntry[] }) {
  const since = isCut ? ' of the newest days' : '';
  return (
    <div className={styles['sums']}>
      <div>
        <h3>By operation{since}</h3>
        <BarList
          label="Units by operation"
          bars={barsOf(entries, ({ operation }) => [operation, operation])}
        />
      </div>
      <div>
        <h3>By token{since}</h3>
        <BarList
          label="Units by token"
          bars={barsOf(entries, ({ token }) => [token?.id ?? '', nameOf(token)]).slice(0, 10)}
        />
      </div>
    </div>
  );
}

function barsOf(
  entries: readonly UsageEntry[],
  keyOf: (entry: UsageEntry) => readonly [id: string, label: string],
): readonly Bar[] {
  const bars = new Map<string, { id: string; label: string; value: number }>();
  for (const entry of entries) {
    const [id, label] = keyOf(entry);
    const value = (bars.get(id)?.value ?? 0) + entry.units;
    bars.set(id, { id, label, value });
  }
  return [...bars.values()].toSorted((one, other) => other.value - one.value);
}

function DayTable({ day }: { readonly day: UsageDay }) {
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(
    dayUsageQuery(day.day),
  );
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton lines={2} label="Loading the charges" />;
  const entries = data.pages.flatMap((page) => page.days.flatMap((one) => one.entries));
  return (
    <>
      {!day.itemised && (
        <p>
          {entries.length === 0 ? 'None' : 'Not all'} of the units of this day are itemised: they
          are older than the list of charges.
        </p>
      )}
      {entries.length > 0 && <EntryTable day={day.day} entries={entries} />}
      {hasNextPage && (
        <div>
          <Button size="small" onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}

function EntryTable({
  day,
  entries,
}: {
  readonly day: string;
  readonly entries: readonly UsageEntry[];
}) {
  return (
    <div className={styles['scroll']}>
      <table className={styles['table']} aria-label={`Charges of ${day}`}>
        <thead>
          <tr>
            <th scope="col">Token</th>
            <th scope="col">Operation</th>
            <th scope="col" className={styles['number']}>
              Units
            </th>
            <th scope="col" className={styles['medium']}>
              First
            </th>
            <th scope="col">Last</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ token, operation, units, firstAt, lastAt }) => (
            <tr key={`${operation} ${token?.id}`}>
              <th scope="row">{nameOf(token)}</th>
              <td>{operation}</td>
              <td className={styles['number']}>{formatNumber(units)}</td>
              <td className={styles['medium']}>
                <Time at={firstAt} />
              </td>
              <td>
                <Time at={lastAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function nameOf(token: UsageEntry['token']): string {
  if (token === null) return 'sessions from sign-in links';
  return token.label === '' ? token.hint : visible(token.label);
}
