import type { ProposalState } from '../../../domain/proposals/proposal.ts';
import { moveOf, type ProposalRoute, routeOf } from '../../../domain/proposals/proposal-route.ts';
import { feedOfHost } from '../../../domain/services/unclaimed.ts';
import { proposalsOfFiles } from '../../tables/proposals/proposals-of-file.ts';
import { selectFeed } from '../../tables/services/feed-rows.ts';
import { routesOf } from '../../tables/services/routes.ts';
import { each, type UnitOfWork } from '../../units/unit-of-work.ts';

/** A proposal with the members that decide which service it is for. */
interface StoredProposal {
  readonly state: ProposalState;
  readonly slug: string;
  readonly confidence_scale: number;
  readonly sha256: Uint8Array;
  readonly host: string;
  readonly port: number;
}

/**
 * The services of proposals of one account. Open ones follow the declared hosts, which may have
 * changed since the analysis; a move is stored when the proposal is reported.
 */
export function* routesOfProposals(
  accountId: string,
  stored: readonly StoredProposal[],
): UnitOfWork<readonly ProposalRoute[]> {
  const hosts = stored.filter(({ state }) => state === 'open').map(({ host }) => host);
  const routes = hosts.length === 0 ? undefined : yield* routesOf(hosts);
  const proposals = stored.map((one) => ({
    ...one,
    service: one.slug,
    confidenceScale: one.confidence_scale,
    feed: feedOfHost(one.host, routes?.get(one.host)?.service),
  }));
  const moves = proposals.flatMap((proposal) => {
    const slug = moveOf(proposal, proposal.feed);
    return slug === undefined ? [] : [{ proposal, slug }];
  });
  const targets = yield* targetsOf(accountId, moves);
  return proposals.map((one) => routeOf(one, one.feed, targets.get(one)));
}

/** The services that proposals may move to. */
function* targetsOf<Proposal extends StoredProposal>(
  accountId: string,
  moves: readonly { readonly proposal: Proposal; readonly slug: string }[],
) {
  const services = yield* each(
    selectFeed,
    moves.map(({ slug }) => ({ slug })),
  );
  const known = yield* proposalsOfFiles(
    moves.map(({ proposal: { sha256 } }) => ({ sha256, accountId })),
  );
  return new Map(
    moves.flatMap(({ proposal, slug: service }, index) => {
      const found = services[index]?.[0];
      if (found === undefined) return [];
      const { host, port } = proposal;
      const others = known[index] ?? [];
      const isTaken = others.some(
        (one) => one.service_id === found.id && one.host === host && one.port === port,
      );
      return [[proposal, { service, confidenceScale: found.confidence_scale, isTaken }] as const];
    }),
  );
}
