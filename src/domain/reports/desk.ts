import { DAY_MS } from '../duration.ts';

/** The state of a report at the abuse desk. Only time sets `expired`. */
export type ReportStatus = 'open' | 'acknowledged' | 'actioned' | 'rejected' | 'expired';

/** The statuses that a desk may set, with their reasons. */
export const DESK_REASONS = {
  open: [],
  acknowledged: [],
  actioned: ['taken_down', 'suspended', 'blocked'],
  rejected: ['not_ours', 'false_positive', 'duplicate', 'insufficient_evidence'],
} as const satisfies Readonly<Record<Exclude<ReportStatus, 'expired'>, readonly string[]>>;

export type DeskStatus = keyof typeof DESK_REASONS;

export const DESK_STATUSES = Object.keys(DESK_REASONS) as readonly DeskStatus[];

/** The statuses that expire; the others are final. */
export const UNRESOLVED_STATUSES: readonly ReportStatus[] = ['open', 'acknowledged'];

/** Whether the desk has answered the report for good. */
export function isAnswer(status: ReportStatus): boolean {
  return status === 'actioned' || status === 'rejected';
}

/** Whether the desk has seen the report. */
export function isAcknowledgement(status: ReportStatus): boolean {
  return status === 'acknowledged' || isAnswer(status);
}

/** The only answer of a desk that is about the C2 and not about the report. */
export function isFalsePositive({
  status,
  statusReason,
}: {
  readonly status: ReportStatus;
  readonly statusReason: string | null | undefined;
}): boolean {
  return status === 'rejected' && statusReason === 'false_positive';
}

export const MAX_NOTE_LENGTH = 1000;

export interface StatusChange {
  readonly status: DeskStatus;
  readonly reason: string | undefined;
  /** A message to the reporter. */
  readonly note: string | undefined;
}

/** Why a reason is not valid for that status, if it is not. */
export function reasonProblem(status: DeskStatus, reason: string | undefined): string | undefined {
  const reasons: readonly string[] = DESK_REASONS[status];
  if (reason === undefined) return undefined;
  if (reasons.length === 0) return `reason: the status "${status}" has no reasons; leave it out.`;
  return reasons.includes(reason)
    ? undefined
    : `reason: for the status "${status}" it must be one of ${reasons.join(', ')}.`;
}

/** The expiry of a report whose C2 was last seen at that time. */
export function expiryAfter(lastSeen: Date, days: number): Date {
  return new Date(lastSeen.getTime() + days * DAY_MS);
}

export function isUnresolved(status: ReportStatus): boolean {
  return UNRESOLVED_STATUSES.includes(status);
}
