import type { ReporterStatistics } from '../../../../src/client/wire.ts';
import { type Bar, BarList } from '../../components/plots/bar-list.tsx';

type Totals = ReporterStatistics['totals'];

const REJECTIONS: readonly (readonly [keyof Totals['rejected'], string])[] = [
  ['not_ours', 'rejected: not theirs'],
  ['false_positive', 'rejected: false positive'],
  ['insufficient_evidence', 'rejected: too little evidence'],
  ['duplicate', 'rejected: duplicate'],
  ['unspecified', 'rejected without a reason'],
];

/** What the desks answered. */
export function OutcomeBars({ totals }: { readonly totals: Totals }) {
  const { open, acknowledged, actioned, rejected, expired } = totals;
  const bars: readonly Bar[] = [
    { id: 'actioned', label: 'actioned', value: actioned },
    ...REJECTIONS.map(([reason, label]) => ({ id: reason, label, value: rejected[reason] })),
    { id: 'open', label: 'open', value: open },
    { id: 'acknowledged', label: 'acknowledged', value: acknowledged },
    { id: 'expired', label: 'expired', value: expired },
  ];
  return <BarList label="Reports by outcome" bars={bars.filter(({ value }) => value > 0)} />;
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
        { id: 'confirmed', label: 'confirmed', value: confirmed },
        { id: 'contradicted', label: 'contradicted', value: contradicted },
        { id: 'unknown', label: 'unknown', value: unknown },
      ]}
    />
  );
}
