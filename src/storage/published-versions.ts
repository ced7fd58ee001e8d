import type { PublishedVersions } from '../ports/published-versions.ts';
import {
  findVersion,
  newestAddition,
  openAdditionsFrom,
  pageOfVersions,
} from './sql/feeds/published-versions.ts';
import type { Runner } from './unit-of-work.ts';

export function createPublishedVersions(runner: Runner): PublishedVersions {
  return {
    page: async (query) => {
      if (query.scope !== undefined) return runner.read(() => pageOfVersions(query));
      // In an earlier snapshot: a transaction that commits between the two is in the page.
      const before = await runner.read(() => openAdditionsFrom());
      return runner.read(() => pageOfVersions(query, before));
    },
    find: (scope, reportId) => runner.read(() => findVersion(scope, reportId)),
    newest: (scope) => runner.read(() => newestAddition(scope)),
  };
}
