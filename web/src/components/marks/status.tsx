import type { ExtendedReport } from '../../../../src/client/wire.ts';
import styles from './marks.module.css';

export type ReportStatus = ExtendedReport['status'];

export const STATUS_SIGNS: Readonly<Record<ReportStatus, string>> = {
  open: '○',
  acknowledged: '◐',
  actioned: '●',
  rejected: '⊘',
  expired: '◌',
};

export const STATUSES = Object.keys(STATUS_SIGNS) as readonly ReportStatus[];

/** Why a desk acted or rejected, in words. */
export const REASONS: Readonly<Record<string, string>> = {
  taken_down: 'taken down',
  suspended: 'suspended',
  blocked: 'blocked',
  not_ours: 'not ours',
  false_positive: 'false positive',
  duplicate: 'duplicate',
  insufficient_evidence: 'insufficient evidence',
};

interface Props {
  readonly status: ReportStatus;
  readonly reason?: string | null | undefined;
}

export function Status({ status, reason }: Props) {
  const words = reason === undefined || reason === null ? undefined : (REASONS[reason] ?? reason);
  return (
    <span className={`${styles['status']} ${styles[status]}`}>
      <span aria-hidden className={styles['sign']}>
        {STATUS_SIGNS[status]}
      </span>
      {status}
      {words !== undefined && <span className={styles['reason']}> · {words}</span>}
    </span>
  );
}
