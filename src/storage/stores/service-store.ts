import type { ServiceStore } from '../../ports/service-store.ts';
import { overlapsAfter } from '../tables/services/overlaps.ts';
import { routesOf } from '../tables/services/routes.ts';
import { listServices, pageOfServices } from '../tables/services/services.ts';
import { addService } from '../transactions/services/add-service.ts';
import { changeService } from '../transactions/services/change-service.ts';
import { hasUnindexedPatterns, indexPatterns } from '../transactions/services/index-patterns.ts';
import { contactOfService } from '../transactions/services/service-contact.ts';
import type { Runner } from '../units/runner.ts';
import type { UnitOfWork } from '../units/unit-of-work.ts';

/** The services of a slice, when patterns are indexed before a question is answered. */
const PATTERN_SLICE = 20;

export function createServiceStore(
  runner: Runner,
  administer: <Result>(work: () => UnitOfWork<Result>) => Promise<Result>,
): ServiceStore {
  const read = runner.read.bind(runner);
  return {
    add: (service, audit, mail) => administer(() => addService(service, audit, mail)),
    change: (slug, changes, audit) => administer(() => changeService(slug, changes, audit)),
    list: () => read(() => listServices()),
    page: (page) => read(() => pageOfServices(page)),
    route: (host) =>
      readIndexed(runner, function* () {
        return (yield* routesOf([host])).get(host);
      }),
    contact: (route) => readIndexed(runner, () => contactOfService(route)),
    overlaps: (request) => readIndexed(runner, () => overlapsAfter(request)),
    indexPatterns: (limit) => runner.write(() => indexPatterns(limit)),
  };
}

/** Services that are older than the index of patterns are indexed first. */
async function readIndexed<Result>(
  runner: Runner,
  work: () => UnitOfWork<Result>,
): Promise<Result> {
  for (;;) {
    const found = await runner.read(function* () {
      return (yield* hasUnindexedPatterns()) ? undefined : { value: yield* work() };
    });
    if (found !== undefined) return found.value;
    await runner.write(() => indexPatterns(PATTERN_SLICE));
  }
}
