import { ChevronRight } from 'lucide-react';
import { memo, useEffect, useEffectEvent, useRef } from 'react';
import { Button } from '../../components/button.tsx';
import { AddressText } from '../../components/identifiers/address-text.tsx';
import { Confirmation, Misrouted } from '../../components/marks/confirmation.tsx';
import { KnownAs } from '../../components/marks/known-as.tsx';
import { Time } from '../../components/marks/time.tsx';
import { useRowWindow } from '../../components/table/row-window.ts';
import { defang } from '../../text/defang.ts';
import { count, formatNumber } from '../../text/format.ts';
import { visible } from '../../text/visible.ts';
import type { InboxRow } from './c2-groups.ts';
import styles from './inbox-list.module.css';
import type { InboxState } from './use-inbox.ts';

interface Props {
  readonly inbox: InboxState;
  /** Whether the server has more reports than are loaded. */
  readonly hasMore: boolean;
  /** All reports that match the filter, in words; `undefined` until they are counted. */
  readonly matching: string | undefined;
  readonly onOpen: (index: number) => void;
  readonly onShown: (first: number, last: number) => void;
}

const ROW_HEIGHT = 60;
/** Further reports of the same few C2s are loaded to fill the list up to this number. */
const MAX_FILLING = 2000;

/** The reports of the inbox; only those on the screen are in the document. */
export function InboxList({ inbox, hasMore, matching, onOpen, onShown }: Props) {
  const { rows, selected, index } = inbox;
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLUListElement>(null);
  const shown = useRowWindow({ count: rows.length, height: ROW_HEIGHT, body, box });
  const { first, last } = shown;
  const tell = useEffectEvent(() => onShown(first, last));
  const isFilled = last < rows.length - 1;
  const filling = isFilled ? 0 : Math.min(inbox.reports.length, MAX_FILLING);
  // biome-ignore lint/correctness/useExhaustiveDependencies: told when one of them changes
  useEffect(() => tell(), [first, last, rows.length, filling]);
  const scrollTo = useEffectEvent(shown.scrollTo);
  useEffect(() => scrollTo(index), [index]);
  const open = useEffectEvent(onOpen);
  const toggle = useEffectEvent(inbox.toggle);
  const toggleGroup = useEffectEvent(inbox.toggleGroup);
  const handlers = useRef({
    open: (at: number) => open(at),
    toggle: (ids: readonly string[]) => toggle(ids),
    toggleGroup: (c2: string) => toggleGroup(c2),
  }).current;
  return (
    <div className={styles['listPane']}>
      <ListHead inbox={inbox} hasMore={hasMore} matching={matching} />
      <div ref={box} className={styles['list']}>
        <ul
          ref={body}
          aria-label="Reports"
          className={styles['rows']}
          style={{ height: rows.length * ROW_HEIGHT }}
        >
          {shown.indexes.map((at) => {
            const row = rows[at];
            return (
              row !== undefined && (
                <Row
                  key={row.report.id}
                  row={row}
                  index={at}
                  isCurrent={at === index}
                  isSelected={row.reports.every(({ id }) => selected.has(id))}
                  onOpen={handlers.open}
                  onToggle={handlers.toggle}
                  onToggleGroup={handlers.toggleGroup}
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
function ListHead({ inbox, hasMore, matching }: Pick<Props, 'inbox' | 'hasMore' | 'matching'>) {
  const { reports, selected, isAllMatching, setAllMatching, toggleAll } = inbox;
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
          {isAllMatching && `All ${matching} that match are selected`}
          {!isAllMatching &&
            (selected.size > 0
              ? `${formatNumber(selected.size)} of ${count(reports.length, 'report')} selected`
              : `Select ${hasMore ? 'the first' : 'all'} ${formatNumber(reports.length)}`)}
        </span>
      </label>
      {selected.size > 0 && !isAllMatching && hasMore && matching !== undefined && (
        <Button size="small" onClick={() => setAllMatching(true)}>
          Select all {matching} that match
        </Button>
      )}
    </div>
  );
}

interface RowProps {
  readonly row: InboxRow;
  readonly index: number;
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  readonly onOpen: (index: number) => void;
  readonly onToggle: (ids: readonly string[]) => void;
  readonly onToggleGroup: (c2: string) => void;
}

const Row = memo(function Row(props: RowProps) {
  const { row, index, isCurrent, isSelected, onOpen, onToggle, onToggleGroup } = props;
  const { report, reports, groupSize, isMember, isOpened } = row;
  const { c2Address, name, reportedBy, reportedAt, sightings, recurrence } = report;
  return (
    <li
      className={`${styles['row']} ${isCurrent ? styles['current'] : ''} ${isMember ? styles['member'] : ''}`}
      style={{ height: ROW_HEIGHT, top: index * ROW_HEIGHT }}
    >
      <label className={styles['check']}>
        <input
          type="checkbox"
          aria-label={`Select ${defang(c2Address)}`}
          checked={isSelected}
          onChange={() => onToggle(reports.map(({ id }) => id))}
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
          <KnownAs known={report.knownAs} />
          {sightings > 1 && (
            <span className={styles['sightings']}>{formatNumber(sightings)} sightings</span>
          )}
          {recurrence && <span className={styles['back']}>back again</span>}
          <span className={styles['by']}>{visible(reportedBy)}</span>
        </span>
      </button>
      {groupSize > 1 && !isMember && (
        <button
          type="button"
          className={styles['group']}
          aria-expanded={isOpened}
          title={`${isOpened ? 'Close' : 'Show'} the reports of this C2 (o)`}
          onClick={() => onToggleGroup(c2Address)}
        >
          {count(groupSize, 'report')}
          <ChevronRight aria-hidden />
        </button>
      )}
    </li>
  );
});
