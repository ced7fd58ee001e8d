import { HOUR_MS } from '../../domain/duration.ts';
import type { StatusChange } from '../../domain/reports/desk.ts';
import type { PlannedReport } from './campaigns.ts';
import type { SeededRandom } from './random.ts';
import { type DemoDesk, deskOf } from './services.ts';

/** What a desk does about all unresolved reports of an address, at a time. */
export interface PlannedOutcome {
  readonly at: number;
  readonly service: string;
  readonly reports: readonly PlannedReport[];
  readonly change: StatusChange;
}

const ACTIONS: readonly (StatusChange & { readonly weight: number })[] = [
  { weight: 6, status: 'actioned', reason: 'taken_down', note: undefined },
  {
    weight: 2,
    status: 'actioned',
    reason: 'taken_down',
    note: 'The tunnel is gone and its account is closed. Thank you.',
  },
  { weight: 2, status: 'actioned', reason: 'suspended', note: 'Account suspended.' },
  { weight: 1, status: 'actioned', reason: 'blocked', note: undefined },
];

const NOT_NAMED: StatusChange = {
  status: 'rejected',
  reason: 'insufficient_evidence',
  note: 'The file does not name this address. Please send a sample that does.',
};

/** The share of reports that a desk rejects if the settings of their file contradict them. */
const WRONG_REJECTED = 0.8;

const REFUSALS: readonly (StatusChange & { readonly weight: number })[] = [
  { ...NOT_NAMED, weight: 3 },
  {
    weight: 2,
    status: 'rejected',
    reason: 'false_positive',
    note: 'A monitoring agent of the customer; we checked with them.',
  },
  {
    weight: 2,
    status: 'rejected',
    reason: 'not_ours',
    note: 'This address moved to another provider in September.',
  },
  { weight: 1, status: 'rejected', reason: 'duplicate', note: undefined },
];

const ACKNOWLEDGED: StatusChange = { status: 'acknowledged', reason: undefined, note: undefined };

/** Plans how the desks answer. A desk answers all reports of an address at once. */
export function planOutcomes(
  random: SeededRandom,
  reports: readonly PlannedReport[],
  now: number,
): readonly PlannedOutcome[] {
  const outcomes: PlannedOutcome[] = [];
  const byAddress = Map.groupBy(reports, ({ service, c2 }) => `${service} ${c2}`);
  for (const sightings of byAddress.values()) {
    let rest: readonly PlannedReport[] = sightings;
    while (rest.length > 0) {
      const episode = planEpisode(random, rest);
      outcomes.push(...episode.outcomes);
      rest = episode.rest;
    }
  }
  return outcomes.filter(({ at }) => at < now);
}

interface Episode {
  readonly outcomes: readonly PlannedOutcome[];
  /** Reports after the outcome: the address has come back. */
  readonly rest: readonly PlannedReport[];
}

function planEpisode(random: SeededRandom, reports: readonly PlannedReport[]): Episode {
  const [first] = reports as readonly [PlannedReport];
  const desk = deskOf(first.service);
  if (random.chance(desk.ignored)) return { outcomes: [], rest: [] };
  const resolvedAt = first.at + random.around(desk.medianHours) * HOUR_MS;
  const resolved = reports.filter(({ at }) => at <= resolvedAt);
  const change = decide(random, desk, first);
  const { service } = first;
  const { status, reason, note } = change;
  const outcome = { at: resolvedAt, service, reports: resolved, change: { status, reason, note } };
  return {
    outcomes: [...acknowledgement(random, desk, first, resolvedAt), outcome],
    rest: reports.slice(resolved.length),
  };
}

function decide(random: SeededRandom, desk: DemoDesk, { isWrong }: PlannedReport): StatusChange {
  if (isWrong === true && random.chance(WRONG_REJECTED)) return NOT_NAMED;
  return random.weighted(random.chance(desk.rejected) ? REFUSALS : ACTIONS);
}

function acknowledgement(
  random: SeededRandom,
  desk: DemoDesk,
  first: PlannedReport,
  resolvedAt: number,
): readonly PlannedOutcome[] {
  if (!random.chance(desk.acknowledged)) return [];
  const at = first.at + (resolvedAt - first.at) * (0.1 + 0.3 * random.next());
  return [{ at, service: first.service, reports: [first], change: ACKNOWLEDGED }];
}
