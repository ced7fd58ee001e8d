import { type ReactNode, useMemo } from 'react';
import type { FeedStatistics } from '../../../../src/client/wire.ts';
import { useStatistics } from '../../api/feed-statistics.ts';
import { Button } from '../../components/button.tsx';
import { STATUS_SIGNS, STATUSES } from '../../components/marks/status.tsx';
import { BarList } from '../../components/plots/bar-list.tsx';
import { Plot } from '../../components/plots/plot.tsx';
import { useScreenWidth } from '../../components/screen-width.ts';
import { Skeleton } from '../../components/states.tsx';
import { visible } from '../../text/visible.ts';
import styles from './feed-plots.module.css';
import { type FeedFilter, toggledFilter } from './filters.ts';

interface Props {
  readonly service: string;
  readonly filter: FeedFilter;
  readonly onChange: (filter: FeedFilter) => void;
}

const SHOWN_FAMILIES = 6;
const PLOT_HEIGHT = 168;
const RANGES = [1, 7, 30] as const;

/** The figures of a feed. Each is a filter of the list below. */
export function FeedPlots(props: Props) {
  const isNarrow = useScreenWidth() === 'narrow';
  if (!isNarrow) return <Plots {...props} />;
  return (
    <details className={styles['folded']}>
      <summary>Figures</summary>
      <Plots {...props} />
    </details>
  );
}

function Plots({ service, filter, onChange }: Props) {
  const { data, error } = useStatistics(service);
  // The list below works without them, and says what is wrong.
  if (error !== null && data === undefined) return null;
  const choose = (name: 'name' | 'status') => (value: string) =>
    onChange(toggledFilter(filter, name, value));
  return (
    <section className={styles['plots']} aria-label="Figures of the feed">
      {data?.complete === false && (
        <p role="status" className={styles['note']}>
          Older reports are still being counted: the figures are too low.
        </p>
      )}
      <Panel title="Reports per day" aside={<Ranges filter={filter} onChange={onChange} />}>
        {data === undefined ? (
          <Skeleton lines={5} />
        ) : (
          <Days days={data.days} filter={filter} onChange={onChange} />
        )}
      </Panel>
      <Panel title="Names">
        {data === undefined ? (
          <Skeleton lines={5} />
        ) : (
          <Families families={data.families} selected={filter.name} onSelect={choose('name')} />
        )}
      </Panel>
      <Panel title="Outcome">
        {data === undefined ? (
          <Skeleton lines={5} />
        ) : (
          <BarList
            label="Reports by status"
            bars={STATUSES.map((status) => ({
              id: status,
              label: (
                <>
                  <span aria-hidden>{STATUS_SIGNS[status]}</span> {status}
                </>
              ),
              value: data.statuses[status],
            }))}
            selected={filter.status}
            onSelect={choose('status')}
          />
        )}
      </Panel>
    </section>
  );
}

interface PanelProps {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

function Panel({ title, aside, children }: PanelProps) {
  return (
    <div className={styles['panel']}>
      <header className={styles['head']}>
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </div>
  );
}

type PartProps = Omit<Props, 'service'>;

/** Ranges of time as buttons, for the keyboard and for fingers. */
function Ranges({ filter, onChange }: PartProps) {
  const { created_after, created_before } = filter;
  return (
    <fieldset className={styles['ranges']}>
      <legend className="visually-hidden">Range of time</legend>
      {RANGES.map((days) => {
        const from = startOf(days);
        const isChosen = created_after === from && created_before === undefined;
        return (
          <Button
            key={days}
            size="small"
            look="quiet"
            aria-pressed={isChosen}
            onClick={() =>
              onChange({
                ...filter,
                created_after: isChosen ? undefined : from,
                created_before: undefined,
              })
            }
          >
            {days === 1 ? 'Today' : `${days} d`}
          </Button>
        );
      })}
    </fieldset>
  );
}

function Days({ days, filter, onChange }: PartProps & { readonly days: FeedStatistics['days'] }) {
  const times = useMemo(() => days.map(({ day }) => Date.parse(day) / 1000), [days]);
  const series = useMemo(
    () => [
      { label: 'Reported', values: days.map(({ reported }) => reported), look: 'bars' as const },
      { label: 'Answered', values: days.map((day) => day.actioned + day.rejected) },
    ],
    [days],
  );
  const { created_after, created_before } = filter;
  const selected = useMemo(
    () => rangeOf(created_after, created_before),
    [created_after, created_before],
  );
  return (
    <Plot
      label="Reports and answers per day"
      times={times}
      series={series}
      height={PLOT_HEIGHT}
      selected={selected}
      onSelect={(from, to) =>
        onChange({ ...filter, created_after: instant(from), created_before: instant(to) })
      }
    />
  );
}

interface FamiliesProps {
  readonly families: FeedStatistics['families'];
  readonly selected: string | undefined;
  readonly onSelect: (name: string) => void;
}

function Families({ families, selected, onSelect }: FamiliesProps) {
  if (families.length === 0) return <p className={styles['none']}>No reports yet.</p>;
  return (
    <BarList
      label="Reports by name: the family, else the first tag"
      bars={families
        .slice(0, SHOWN_FAMILIES)
        .map(({ name, reports }) => ({ id: name, label: visible(name), value: reports }))}
      selected={selected}
      onSelect={onSelect}
    />
  );
}

/** A time in the format of the API, without fractions of a second. */
function instant(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** The first instant of the last `days` days, today included. */
function startOf(days: number): string {
  const today = Math.floor(Date.now() / 86_400_000) * 86_400;
  return instant(today - (days - 1) * 86_400);
}

function rangeOf(after: string | undefined, before: string | undefined) {
  if (after === undefined && before === undefined) return undefined;
  const from = after === undefined ? 0 : Date.parse(after) / 1000;
  const to = before === undefined ? Date.now() / 1000 + 86_400 : Date.parse(before) / 1000;
  return Number.isNaN(from) || Number.isNaN(to) ? undefined : { from, to };
}
