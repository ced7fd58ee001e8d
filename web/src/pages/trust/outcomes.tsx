import type { ReporterStatistics } from '../../../../src/client/wire.ts';
import { Confirmation } from '../../components/marks/confirmation.tsx';
import { STATUS_SIGNS, Status } from '../../components/marks/status.tsx';
import { type Bar, BarList } from '../../components/plots/bar-list.tsx';
import styles from './reporter-page.module.css';

type Totals = ReporterStatistics['totals'];

const REJECTIONS: readonly (readonly [keyof Totals['rejected'], string])[] = [
  ['not_ours', 'not theirs'],
  ['false_positive', 'false positive'],
  ['insufficient_evidence', 'little evidence'],
  ['duplicate', 'duplicate'],
  ['unspecified', 'no reason'],
];

/** What the desks answered. */
export function OutcomeBars({ totals }: { readonly totals: Totals }) {
  const { open, acknowledged, actioned, rejected, expired } = totals;
  const bars: readonly Bar[] = [
    { id: 'actioned', label: <Status status="actioned" />, value: actioned },
    ...REJECTIONS.map(([reason, text]) => ({
      id: reason,
      label: <Rejection text={text} />,
      value: rejected[reason],
    })),
    { id: 'open', label: <Status status="open" />, value: open },
    { id: 'acknowledged', label: <Status status="acknowledged" />, value: acknowledged },
    { id: 'expired', label: <Status status="expired" />, value: expired },
  ];
  return <BarList label="Reports by outcome" bars={bars.filter(({ value }) => value > 0)} />;
}

/** The sign stands for the status, so that the reason fits on narrow screens. */
function Rejection({ text }: { readonly text: string }) {
  return (
    <span className={styles['rejection']} title={`rejected: ${text}`}>
      <span role="img" aria-label="rejected:">
        {STATUS_SIGNS.rejected}
      </span>
      {text}
    </span>
  );
}

/** What the settings in the reported files say. */
export function ConfirmationBars({
  counts: { confirmed, contradicted, unknown },
}: {
  readonly counts: Pick<Totals, 'confirmed' | 'contradicted' | 'unknown'>;
}) {
  return (
    <BarList
      label="Reports by confirmation"
      bars={[
        { id: 'confirmed', label: <Confirmation value="confirmed" />, value: confirmed },
        { id: 'contradicted', label: <Confirmation value="contradicted" />, value: contradicted },
        { id: 'unknown', label: <Confirmation value="unknown" />, value: unknown },
      ]}
    />
  );
}
