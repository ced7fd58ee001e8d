import { proposalsOfFiles } from '../../tables/proposals/proposals-of-file.ts';
import { selectFeed } from '../../tables/services/feed-rows.ts';
import { routesOf } from '../../tables/services/routes.ts';
import { each, type UnitOfWork } from '../../units/unit-of-work.ts';

/** A proposal with the members that decide which service it is for. */
interface StoredProposal {
  readonly state: string;
  readonly slug: string;
  readonly confidence_scale: number;
  readonly sha256: Uint8Array;
  readonly host: string;
  readonly port: number;
}

export interface ProposalRoute {
  readonly service: string;
  readonly confidenceScale: number;
  readonly isUnrouted: boolean;
}

/**
 * The services of proposals of one account. Open ones follow the declared hosts, which may have
 * changed since the analysis; a move is stored when the proposal is reported.
 */
export function* routesOfProposals(
  accountId: string,
  stored: readonly StoredProposal[],
): UnitOfWork<readonly ProposalRoute[]> {
  const open = stored.filter(({ state }) => state === 'open');
  const routes = open.length === 0 ? new Map() : yield* routesOf(open.map(({ host }) => host));
  const moved = open.filter(({ host, slug }) => (routes.get(host)?.service ?? slug) !== slug);
  const targets = yield* targetsOf(
    accountId,
    moved.map((proposal) => ({ proposal, slug: routes.get(proposal.host)?.service ?? '' })),
  );
  return stored.map((proposal) => {
    const { slug: service, confidence_scale: confidenceScale, state, host } = proposal;
    const isRouted = state !== 'open' || routes.get(host)?.service === service;
    return targets.get(proposal) ?? { service, confidenceScale, isUnrouted: !isRouted };
  });
}

/** Where they move to. Those for which the account has a proposal there too are missing. */
function* targetsOf(
  accountId: string,
  moved: readonly { readonly proposal: StoredProposal; readonly slug: string }[],
): UnitOfWork<ReadonlyMap<StoredProposal, ProposalRoute>> {
  const targets = new Map<StoredProposal, ProposalRoute>();
  if (moved.length === 0) return targets;
  const services = yield* each(
    selectFeed,
    moved.map(({ slug }) => ({ slug })),
  );
  const known = yield* proposalsOfFiles(
    moved.map(({ proposal: { sha256 } }) => ({ sha256, accountId })),
  );
  for (const [index, { proposal, slug }] of moved.entries()) {
    const target = services[index]?.[0];
    const { host, port } = proposal;
    const isTaken = known[index]?.some(
      (one) => one.service_id === target?.id && one.host === host && one.port === port,
    );
    if (target === undefined || isTaken === true) continue;
    const confidenceScale = target.confidence_scale;
    targets.set(proposal, { service: slug, confidenceScale, isUnrouted: false });
  }
  return targets;
}
