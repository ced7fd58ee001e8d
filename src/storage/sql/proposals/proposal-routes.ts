import { each, query, type UnitOfWork } from '../../unit-of-work.ts';
import { routesOf } from '../feeds/routes.ts';

const selectService = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').select(['id', 'confidence_scale']).where('slug', '=', parameter.slug),
);

interface ProposalKey {
  sha256: Uint8Array;
  accountId: string;
  serviceId: number;
  host: string;
  port: number;
}

const selectOfC2 = query<ProposalKey>()((db, parameter) =>
  db
    .selectFrom('proposal')
    .select('id')
    .where('sha256', '=', parameter.sha256)
    .where('account_id', '=', parameter.accountId)
    .where('service_id', '=', parameter.serviceId)
    .where('host', '=', parameter.host)
    .where('port', '=', parameter.port),
);

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
    selectService,
    moved.map(({ slug }) => ({ slug })),
  );
  const others = yield* each(
    selectOfC2,
    moved.map(({ proposal: { sha256, host, port } }, index) => {
      const serviceId = services[index]?.[0]?.id ?? 0;
      return { sha256, accountId, serviceId, host, port };
    }),
  );
  for (const [index, { proposal, slug }] of moved.entries()) {
    const confidenceScale = services[index]?.[0]?.confidence_scale;
    if (confidenceScale === undefined || others[index]?.[0] !== undefined) continue;
    targets.set(proposal, { service: slug, confidenceScale, isUnrouted: false });
  }
  return targets;
}
