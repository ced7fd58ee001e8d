import { invalid } from '../../domain/problem.ts';
import { hostRefusal, networkRefusal } from '../../domain/services/declaration.ts';
import type { DeclaredHosts } from '../../domain/services/service.ts';

/** More have the same cause. */
const MAX_NAMED = 5;

/** Refuses hosts and networks that a service cannot declare, and says what to declare instead. */
export function refuseDeclarations({
  hosts = [],
  networks = [],
}: Partial<{ [Name in keyof DeclaredHosts]: DeclaredHosts[Name] | undefined }>): void {
  const refused = [
    ...hosts.flatMap((pattern) => hostRefusal(pattern) ?? []),
    ...networks.flatMap((network) => networkRefusal(network) ?? []),
  ];
  if (refused.length > 0) throw invalid('invalid_body', refused.slice(0, MAX_NAMED));
}
