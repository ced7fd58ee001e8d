import { createHash } from 'node:crypto';
import type { AllDeclaredHosts } from '../../ports/feed-store.ts';
import { listServices } from '../tables/services/services.ts';
import { findAccessVersion } from '../units/access-version.ts';
import type { Runner } from '../units/runner.ts';
import type { UnitOfWork } from '../units/unit-of-work.ts';
import { versionedRead } from './versioned-read.ts';

/**
 * Reads the declared hosts once for each access version. With 1,000 services, a conditional request
 * for an export takes 0.2 ms of processor time with it and 3.5 ms without. The access cache is of
 * no use here: on SQLite every commit of another process clears it.
 */
export function createDeclaredHosts(runner: Runner): () => Promise<AllDeclaredHosts> {
  return versionedRead(runner, findAccessVersion, readDeclaredHosts);
}

function* readDeclaredHosts(): UnitOfWork<AllDeclaredHosts> {
  const services = yield* listServices();
  const hosts = services.flatMap((service) => service.hosts);
  const networks = services.flatMap((service) => service.networks);
  const digest = createHash('sha256')
    .update(JSON.stringify([hosts, networks]))
    .digest('base64url');
  return { hosts, networks, digest };
}
