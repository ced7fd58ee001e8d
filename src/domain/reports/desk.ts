import { DAY_MS } from '../duration.ts';

/** How far an abuse desk is with a report. `expired` is set by time alone. */
export type ReportStatus = 'open' | 'acknowledged' | 'actioned' | 'rejected' | 'expired';

/** What a desk may set, and the reasons that go with it; where there are reasons, one is asked for. */
export const DESK_REASONS = {
  open: [],
  acknowledged: [],
  actioned: ['taken_down', 'suspended', 'blocked'],
  rejected: ['not_ours', 'false_positive', 'duplicate', 'insufficient_evidence'],
} as const satisfies Readonly<Record<Exclude<ReportStatus, 'expired'>, readonly string[]>>;

export type DeskStatus = keyof typeof DESK_REASONS;

export const DESK_STATUSES = Object.keys(DESK_REASONS) as readonly DeskStatus[];

/** Those that time can end; the others are closed. */
export const LIVE_STATUSES: readonly ReportStatus[] = ['open', 'acknowledged'];

export const MAX_NOTE_LENGTH = 1000;

export interface StatusChange {
  readonly status: DeskStatus;
  readonly reason: string | undefined;
  /** A few words to the reporter. */
  readonly note: string | undefined;
}

/** What is wrong with a reason for that status, if anything. */
export function reasonProblem(status: DeskStatus, reason: string | undefined): string | undefined {
  const reasons: readonly string[] = DESK_REASONS[status];
  if (reason === undefined) return undefined;
  if (reasons.length === 0)
    return `reason: there is none for the status "${status}"; leave it out.`;
  return reasons.includes(reason)
    ? undefined
    : `reason: for the status "${status}" it must be one of ${reasons.join(', ')}.`;
}

/** When a report expires whose C2 was last seen then. */
export function expiryAfter(lastSeen: Date, days: number): Date {
  return new Date(lastSeen.getTime() + days * DAY_MS);
}

export function isLive(status: ReportStatus): boolean {
  return LIVE_STATUSES.includes(status);
}
