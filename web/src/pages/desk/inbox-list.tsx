import { getRouteApi } from '@tanstack/react-router';
import { memo, useEffect, useEffectEvent, useRef } from 'react';
import type { ExtendedReport } from '../../../../src/client/wire.ts';
import { AddressText } from '../../components/identifiers/address-text.tsx';
import {
  CONFIRMATION_SIGNS,
  CONFIRMATIONS,
  Confirmation,
  Misrouted,
} from '../../components/marks/confirmation.tsx';
import { Time } from '../../components/marks/time.tsx';
import { useRowWindow } from '../../components/table/row-window.ts';
import { defang } from '../../text/defang.ts';
import { count, formatNumber } from '../../text/format.ts';
import { visible } from '../../text/visible.ts';
import styles from './inbox-list.module.css';
import type { InboxState } from './use-inbox.ts';

interface Props {
  readonly inbox: InboxState;
  /** Whether the server has more reports than are loaded. */
  readonly hasMore: boolean;
  readonly onOpen: (index: number) => void;
  readonly onShown: (first: number, last: number) => void;
}

const route = getRouteApi('/signed-in/desk/$service');

const ROW_HEIGHT = 60;

/** The reports of the inbox; only those on the screen are in the document. */
export function InboxList({ inbox, hasMore, onOpen, onShown }: Props) {
  const { reports, selected, index } = inbox;
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLUListElement>(null);
  const shown = useRowWindow({ count: reports.length, height: ROW_HEIGHT, body, box });
  const { first, last } = shown;
  const tell = useEffectEvent(() => onShown(first, last));
  // biome-ignore lint/correctness/useExhaustiveDependencies: told when one of them changes
  useEffect(() => tell(), [first, last, reports.length]);
  const scrollTo = useEffectEvent(shown.scrollTo);
  useEffect(() => scrollTo(index), [index]);
  const open = useEffectEvent(onOpen);
  const toggle = useEffectEvent(inbox.toggle);
  const handlers = useRef({
    open: (at: number) => open(at),
    toggle: (id: string) => toggle(id),
  }).current;
  return (
    <div className={styles['listPane']}>
      <ListHead inbox={inbox} hasMore={hasMore} />
      <div ref={box} className={styles['list']}>
        <ul
          ref={body}
          aria-label="Reports"
          className={styles['rows']}
          style={{ height: reports.length * ROW_HEIGHT }}
        >
          {shown.indexes.map((at) => {
            const report = reports[at];
            return (
              report !== undefined && (
                <Row
                  key={report.id}
                  report={report}
                  index={at}
                  isCurrent={at === index}
                  isSelected={selected.has(report.id)}
                  onOpen={handlers.open}
                  onToggle={handlers.toggle}
                />
              )
            );
          })}
        </ul>
      </div>
    </div>
  );
}

/** Selects all; says how many are selected. */
function ListHead({ inbox, hasMore }: Pick<Props, 'inbox' | 'hasMore'>) {
  const { reports, selected, toggleAll } = inbox;
  const all = useRef<HTMLInputElement>(null);
  const isPartial = selected.size > 0 && selected.size < reports.length;
  useEffect(() => {
    if (all.current !== null) all.current.indeterminate = isPartial;
  }, [isPartial]);
  return (
    <div className={styles['listHead']}>
      <label className={styles['all']}>
        <input
          ref={all}
          type="checkbox"
          checked={selected.size > 0 && !isPartial}
          onChange={toggleAll}
        />
        <span>
          {selected.size > 0
            ? `${formatNumber(selected.size)} of ${count(reports.length, 'report')} selected`
            : `Select ${hasMore ? 'the first' : 'all'} ${formatNumber(reports.length)}`}
        </span>
      </label>
      <ConfirmationFilter />
    </div>
  );
}

/** Shows only the reports that the settings of their files confirm, or contradict. */
function ConfirmationFilter() {
  const navigate = route.useNavigate();
  const { confirmation = '' } = route.useSearch();
  const choose = (value: string) => {
    const chosen = value === '' ? undefined : value;
    void navigate({ search: (search) => ({ ...search, confirmation: chosen, report: undefined }) });
  };
  return (
    <select
      aria-label="Confirmation to filter by"
      value={confirmation}
      onChange={({ target }) => choose(target.value)}
    >
      <option value="">any confirmation</option>
      {CONFIRMATIONS.map((value) => (
        <option key={value} value={value}>
          {CONFIRMATION_SIGNS[value]} {value}
        </option>
      ))}
    </select>
  );
}

interface RowProps {
  readonly report: ExtendedReport;
  readonly index: number;
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  readonly onOpen: (index: number) => void;
  readonly onToggle: (id: string) => void;
}

const Row = memo(function Row(props: RowProps) {
  const { report, index, isCurrent, isSelected, onOpen, onToggle } = props;
  const { id, c2Address, name, reportedBy, reportedAt, sightings, recurrence } = report;
  return (
    <li
      className={`${styles['row']} ${isCurrent ? styles['current'] : ''}`}
      style={{ height: ROW_HEIGHT, top: index * ROW_HEIGHT }}
    >
      <label className={styles['check']}>
        <input
          type="checkbox"
          aria-label={`Select ${defang(c2Address)}`}
          checked={isSelected}
          onChange={() => onToggle(id)}
        />
      </label>
      <button
        type="button"
        className={styles['open']}
        aria-current={isCurrent}
        onClick={() => onOpen(index)}
      >
        <span className={styles['line']}>
          <span className={styles['address']}>
            <AddressText shown={defang(c2Address)} />
          </span>
          <Time at={reportedAt} />
        </span>
        <span className={styles['meta']}>
          <span className={styles['name']}>{visible(name)}</span>
          <Confirmation value={report.confirmation} />
          <Misrouted report={report} />
          {sightings > 1 && (
            <span className={styles['sightings']}>{formatNumber(sightings)} sightings</span>
          )}
          {recurrence && <span className={styles['back']}>back again</span>}
          <span className={styles['by']}>{visible(reportedBy)}</span>
        </span>
      </button>
    </li>
  );
});
