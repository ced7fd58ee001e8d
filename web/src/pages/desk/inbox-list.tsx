import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { ExtendedReport } from '../../../../src/client/wire.ts';
import { Status } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { defang } from '../../text/defang.ts';
import { visible } from '../../text/visible.ts';
import styles from './desk-page.module.css';

interface Props {
  readonly reports: readonly ExtendedReport[];
  readonly currentId: string;
  readonly selected: ReadonlySet<string>;
  readonly onOpen: (index: number) => void;
  readonly onToggle: (id: string) => void;
  readonly onShown: (first: number, last: number) => void;
}

const ROW_HEIGHT = 60;

/** The reports of the inbox; only those on the screen are in the document. */
export function InboxList({ reports, currentId, selected, onOpen, onToggle, onShown }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: reports.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    getItemKey: (index) => reports[index]?.id ?? index,
  });
  const items = virtualizer.getVirtualItems();
  const first = virtualizer.range?.startIndex ?? 0;
  const last = virtualizer.range?.endIndex ?? 0;
  const tell = useEffectEvent(() => onShown(first, last));
  // biome-ignore lint/correctness/useExhaustiveDependencies: told when one of them changes
  useEffect(() => tell(), [first, last, reports.length]);
  const index = reports.findIndex(({ id }) => id === currentId);
  useEffect(() => {
    if (index >= 0) virtualizer.scrollToIndex(index, { align: 'auto' });
  }, [index, virtualizer]);
  return (
    <div ref={box} className={styles['list']}>
      <ul
        aria-label="Reports"
        className={styles['rows']}
        style={{ height: virtualizer.getTotalSize() }}
      >
        {items.map((item) => {
          const report = reports[item.index];
          if (report === undefined) return null;
          const isCurrent = report.id === currentId;
          return (
            <li
              key={item.key}
              className={`${styles['row']} ${isCurrent ? styles['current'] : ''}`}
              style={{ height: ROW_HEIGHT, transform: `translateY(${item.start}px)` }}
            >
              <input
                type="checkbox"
                aria-label={`Select ${defang(report.c2Address)}`}
                checked={selected.has(report.id)}
                onChange={() => onToggle(report.id)}
              />
              <button
                type="button"
                className={styles['open']}
                aria-current={isCurrent}
                onClick={() => onOpen(item.index)}
              >
                <span className={styles['address']}>{defang(report.c2Address)}</span>
                <span className={styles['meta']}>
                  <Status status={report.status} />
                  <span>{visible(report.name)}</span>
                  <Time at={report.reportedAt} />
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
