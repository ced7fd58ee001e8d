import { suffixOf } from '../../domain/ownership/challenge.ts';
import { invalid } from '../../domain/problem.ts';
import { isRefusedHost } from '../../domain/reports/route.ts';

/** More have the same cause. */
const MAX_NAMED = 5;

/**
 * Anyone can register names under a public suffix, so a service cannot answer for all of them. The
 * private section of the list is allowed: services list their own domains there.
 */
export function refusePublicSuffixes(hosts: readonly string[] | undefined): void {
  const refused = (hosts ?? []).filter(isRefusedHost);
  if (refused.length === 0) return;
  throw invalid(
    'invalid_body',
    refused
      .slice(0, MAX_NAMED)
      .map(
        (pattern) =>
          `hosts must not have ${pattern}: ${suffixOf(pattern)} is a public suffix, under which anyone can register names. Declare the names of the service, such as *.example.${suffixOf(pattern)}.`,
      ),
  );
}
