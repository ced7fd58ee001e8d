import type { OwnershipStore } from '../../ports/ownership-store.ts';
import { findChallengeToken, storeTokenIfAbsent } from '../tables/ownership/challenges.ts';
import { listClaims, verifiedOfServices } from '../tables/ownership/claims.ts';
import { leaseDueProofs } from '../tables/ownership/due-proofs.ts';
import { beginCheck } from '../transactions/services/begin-check.ts';
import { recordCheck } from '../transactions/services/record-check.ts';
import type { Runner } from '../units/runner.ts';

export function createOwnershipStore(runner: Runner): OwnershipStore {
  return {
    token: async (service, fresh, now) =>
      (await runner.read(() => findChallengeToken(service))) ??
      (await runner.write(() => storeTokenIfAbsent(service, fresh, now))),
    claims: (service) => runner.read(() => listClaims(service)),
    verified: (services) => runner.read(() => verifiedOfServices(services)),
    begin: (check) => runner.write(() => beginCheck(check)),
    record: (record, audit) => runner.write(() => recordCheck(record, audit)),
    leaseDue: (request) => runner.write(() => leaseDueProofs(request)),
  };
}
