import { createHash } from 'node:crypto';
import type { AllDeclaredHosts } from '../ports/feed-store.ts';
import { listServices } from './sql/feeds/services.ts';
import { findAccessVersion } from './sql/installation.ts';
import type { Runner, UnitOfWork } from './unit-of-work.ts';

interface Known {
  readonly accessVersion: number;
  readonly hosts: AllDeclaredHosts;
}

/**
 * Reads the declared hosts once for each access version. The access cache is of no use here: on
 * SQLite every commit of another process clears it.
 */
export function createDeclaredHosts(runner: Runner): () => Promise<AllDeclaredHosts> {
  let known: Known | undefined;
  return async () => {
    const accessVersion = await runner.read(findAccessVersion);
    if (known?.accessVersion !== accessVersion) known = await runner.read(readDeclaredHosts);
    return known.hosts;
  };
}

/** The version first: services that change in between are read again. */
function* readDeclaredHosts(): UnitOfWork<Known> {
  const accessVersion = yield* findAccessVersion();
  const services = yield* listServices();
  const hosts = services.flatMap((service) => service.hosts);
  const networks = services.flatMap((service) => service.networks);
  const digest = createHash('sha256')
    .update(JSON.stringify([hosts, networks]))
    .digest('base64url');
  return { accessVersion, hosts: { hosts, networks, digest } };
}
