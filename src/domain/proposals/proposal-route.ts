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
  /** Whether no service, or another one, declares the host. */
  readonly isUnrouted: boolean;
}

/**
 * The service to which a proposal moves; `undefined` if it stays. `declaring` is the service that
 * declares its host. Only open proposals move.
 */
export function moveOf(
  { state, service }: Pick<RoutedProposal, 'state' | 'service'>,
  declaring: string | undefined,
): string | undefined {
  return state === 'open' && declaring !== service ? declaring : undefined;
}

/** A proposal moves to its target unless the account has one there too. */
export function routeOf(
  proposal: RoutedProposal,
  declaring: string | undefined,
  target: MoveTarget | undefined,
): ProposalRoute {
  if (target !== undefined && !target.isTaken) {
    const { service, confidenceScale } = target;
    return { service, confidenceScale, isUnrouted: false };
  }
  const { state, service, confidenceScale } = proposal;
  return { service, confidenceScale, isUnrouted: state === 'open' && declaring !== service };
}
