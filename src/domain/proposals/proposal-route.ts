import type { ProposalState } from './proposal.ts';

/** Which service a proposal is for, while declared hosts change. */

interface RoutedProposal {
  readonly state: ProposalState;
  readonly service: string;
  readonly confidenceScale: number;
}

/** The service that a proposal may move to. */
interface MoveTarget {
  readonly service: string;
  readonly confidenceScale: number;
  /** Whether the account has a proposal of the same C2 and file there. */
  readonly isTaken: boolean;
}

export interface ProposalRoute {
  readonly service: string;
  readonly confidenceScale: number;
  /** Whether the host belongs to another feed, or to none. */
  readonly isUnrouted: boolean;
}

/**
 * The service to which a proposal moves; `undefined` if it stays. `feed` is that of its host now.
 * Only open proposals move.
 */
export function moveOf(
  { state, service }: Pick<RoutedProposal, 'state' | 'service'>,
  feed: string | undefined,
): string | undefined {
  return state === 'open' && feed !== service ? feed : undefined;
}

/** A proposal moves to its target unless the account has one there too. */
export function routeOf(
  proposal: RoutedProposal,
  feed: string | undefined,
  target: MoveTarget | undefined,
): ProposalRoute {
  if (target !== undefined && !target.isTaken) {
    const { service, confidenceScale } = target;
    return { service, confidenceScale, isUnrouted: false };
  }
  const { state, service, confidenceScale } = proposal;
  return { service, confidenceScale, isUnrouted: state === 'open' && feed !== service };
}
