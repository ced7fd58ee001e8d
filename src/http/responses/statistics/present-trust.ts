import { REJECTION_REASONS, type Rejection } from '../../../domain/trust/outcome.ts';
import type { JudgedCounts, ShownReporter } from '../../../operations/trust/show-reporter.ts';
import type { Scorecard, TimesTaken } from '../../../operations/trust/show-scorecard.ts';
import { formatUtc } from '../present.ts';

export function presentReporter({ name, services, isComplete, ...judged }: ShownReporter) {
  return {
    reporter: name,
    ...presentJudged(judged),
    services: services.map(({ service, ...one }) => ({ service, ...presentJudged(one) })),
    complete: isComplete,
    successful: true as const,
  };
}

function presentJudged({ counts, reports, precision }: JudgedCounts) {
  const { confirmed, contradicted, open, acknowledged, actioned, expired } = counts;
  const rejections: readonly Rejection[] = [...REJECTION_REASONS, 'unspecified'];
  return {
    totals: {
      reports,
      confirmed,
      contradicted,
      unknown: reports - confirmed - contradicted,
      open,
      acknowledged,
      actioned,
      rejected: Object.fromEntries(
        rejections.map((rejection) => [rejection, counts[rejection]]),
      ) as Record<Rejection, number>,
      expired,
    },
    precision: precision ?? null,
  };
}

export function presentScorecard(service: string, shown: Scorecard) {
  const { statuses, confirmed, contradicted } = shown;
  const total = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  return {
    service,
    asOf: formatUtc(shown.asOf),
    backlog: { open: statuses.open, acknowledged: statuses.acknowledged },
    statuses,
    reports: { total, confirmed, contradicted, unknown: total - confirmed - contradicted },
    misrouted: shown.misrouted,
    timeToAcknowledge: presentTimes(shown.timeToAcknowledge),
    timeToAct: presentTimes(shown.timeToAct),
    recurrences: { total: shown.recurrences, days: shown.recurrenceDays },
    complete: shown.isComplete,
    successful: true as const,
  };
}

function presentTimes({ median, p90, count, buckets }: TimesTaken) {
  return {
    median: median ?? null,
    p90: p90 ?? null,
    count,
    buckets: buckets.map(({ upToSeconds, reports }) => ({
      upToSeconds: upToSeconds ?? null,
      reports,
    })),
  };
}
