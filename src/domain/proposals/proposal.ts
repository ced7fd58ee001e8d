import type { C2Address } from '../reports/c2-address.ts';
import { isTag } from '../reports/report.ts';
import { familyOfC2, type HeatTag } from '../samples/analysis-report.ts';
import type { Route } from '../services/route.ts';
import { feedOfHost } from '../services/unclaimed.ts';

/**
 * An analysis proposes reports to the accounts that uploaded the file: one for each C2 in its
 * settings, for the service that answers for it, or for `unclaimed` if none does.
 */

export const PROPOSAL_STATES = ['open', 'reported', 'dismissed'] as const;

export type ProposalState = (typeof PROPOSAL_STATES)[number];

export const DISMISSAL_REASONS = [
  'already_known',
  'not_malicious',
  'wrong_service',
  'other',
] as const;

export type DismissalReason = (typeof DISMISSAL_REASONS)[number];

/** The most proposals of one file that an account has, decided ones included. */
export const MAX_PROPOSALS = 32;
/** A proposal is deleted this long after it was made or decided. */
export const PROPOSALS_KEPT_DAYS = 90;

/** The settings of the file name the C2, but a file may be a decoy. */
const CONFIDENCE_SHARE = 0.9;
/** Neutral facts, such as the file format, have a lower heat. */
const MIN_TAG_HEAT = 4;
const MAX_HOT_TAGS = 4;

/** A C2 in the settings of a file. */
export interface ConfiguredC2 extends C2Address {
  /** The family whose settings name it; `undefined` if it was not recorded. */
  readonly family: string | undefined;
}

/** What an analysis says about a file, as far as proposals need it. */
export interface Findings {
  readonly c2s: readonly ConfiguredC2[];
  readonly tags: readonly HeatTag[];
  /** The family of the file as a whole. */
  readonly family: string | undefined;
}

export interface ProposedReport {
  readonly service: string;
  readonly c2: C2Address;
  readonly family: string | undefined;
  readonly tags: readonly string[];
}

/** The confidence of a proposed report on the scale of its service. */
export function proposedConfidence(scale: number): number {
  return Math.round(CONFIDENCE_SHARE * scale);
}

/**
 * The reports of the first C2s. `routes` are those of the hosts. C2s that a service answers for
 * come before those for `unclaimed`, so that these take no room from them.
 */
export function proposedReports(
  findings: Findings,
  routes: ReadonlyMap<string, Route>,
): readonly ProposedReport[] {
  const declared = findings.c2s.filter(({ host }) => routes.has(host));
  const others = findings.c2s.filter(({ host }) => !routes.has(host));
  const proposed = new Map<string, ProposedReport>();
  for (const { host, port, family: own } of [...declared, ...others]) {
    const service = feedOfHost(host, routes.get(host)?.service);
    const key = `${host} ${port}`;
    if (service === undefined || proposed.has(key)) continue;
    const family = familyOfC2(own, findings.family);
    const tags = proposedTags(family, findings.tags);
    proposed.set(key, { service, c2: { host, port }, family, tags });
    if (proposed.size === MAX_PROPOSALS) break;
  }
  return [...proposed.values()];
}

/** The family and the hottest tags, as far as a report may have them. */
function proposedTags(family: string | undefined, tags: readonly HeatTag[]): readonly string[] {
  const hot = tags.filter(({ heat }) => heat >= MIN_TAG_HEAT);
  const names = hot.sort((one, other) => other.heat - one.heat).map(({ name }) => name);
  const own = family === undefined ? [] : [family.toLowerCase()].filter(isTag);
  const others = new Set(names.map((name) => name.toLowerCase()).filter(isTag));
  for (const tag of own) others.delete(tag);
  return [...own, ...[...others].slice(0, MAX_HOT_TAGS)];
}

/** A stored proposal, as far as a later analysis needs it. */
export interface KnownProposal {
  readonly id: string;
  readonly service: string;
  readonly c2: C2Address;
  readonly state: ProposalState;
}

export interface ProposalChanges<Known extends KnownProposal> {
  readonly added: readonly ProposedReport[];
  readonly updated: readonly { readonly id: string; readonly report: ProposedReport }[];
  readonly withdrawn: readonly Known[];
}

/**
 * How the proposals of an account follow a new analysis of the file: those that were decided stay,
 * open ones are updated or withdrawn.
 */
export function proposalChanges<Known extends KnownProposal>(
  known: readonly Known[],
  proposed: readonly ProposedReport[],
): ProposalChanges<Known> {
  const byKey = new Map(known.map((one) => [keyOf(one), one]));
  const wanted = new Set(proposed.map(keyOf));
  const withdrawn = known.filter((one) => one.state === 'open' && !wanted.has(keyOf(one)));
  const room = MAX_PROPOSALS - (known.length - withdrawn.length);
  return {
    added: proposed.filter((one) => !byKey.has(keyOf(one))).slice(0, Math.max(0, room)),
    updated: proposed.flatMap((report) => {
      const one = byKey.get(keyOf(report));
      return one?.state === 'open' ? { id: one.id, report } : [];
    }),
    withdrawn,
  };
}

function keyOf({ service, c2 }: Pick<ProposedReport, 'service' | 'c2'>): string {
  return `${service} ${c2.host} ${c2.port}`;
}
