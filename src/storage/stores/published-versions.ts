import type { PublishedVersions } from '../../ports/published-versions.ts';
import type { Serializers } from '../../ports/store.ts';
import {
  findVersion,
  newestAddition,
  openAdditionsFrom,
  pageOfVersions,
} from '../tables/reports/published/published-versions.ts';
import { countUnpublished, publishAgain } from '../transactions/reports/publish-again.ts';
import type { Runner } from '../units/runner.ts';

export function createPublishedVersions(
  runner: Runner,
  serializers: Serializers,
): PublishedVersions {
  return {
    page: async (query) => {
      if (query.scope !== undefined) return runner.read(() => pageOfVersions(query));
      // In an earlier snapshot: a transaction that commits between the two is in the page.
      const before = await runner.read(() => openAdditionsFrom(query.now));
      return runner.read(() => pageOfVersions(query, before));
    },
    find: (scope, reportId) => runner.read(() => findVersion(scope, reportId)),
    newest: (scope) => runner.read(() => newestAddition(scope)),
    countUnpublished: (after, limit) => runner.read(() => countUnpublished(after, limit)),
    publishAgain: (after, limit, at) =>
      runner.write(() => publishAgain({ after, limit, at }, serializers)),
  };
}
