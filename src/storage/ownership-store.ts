import type { OwnershipStore } from '../ports/services/ownership-store.ts';
import { findChallengeToken, storeTokenIfAbsent } from './sql/ownership/challenges.ts';
import { beginCheck, recordCheck } from './sql/ownership/checks.ts';
import { listClaims, verifiedOfServices } from './sql/ownership/claims.ts';
import { claimDueProofs } from './sql/ownership/due-proofs.ts';
import type { Runner } from './unit-of-work.ts';

export function createOwnershipStore(runner: Runner): OwnershipStore {
  return {
    token: async (service, fresh, now) =>
      (await runner.read(() => findChallengeToken(service))) ??
      (await runner.write(() => storeTokenIfAbsent(service, fresh, now))),
    claims: (service) => runner.read(() => listClaims(service)),
    verified: (services) => runner.read(() => verifiedOfServices(services)),
    begin: (check) => runner.write(() => beginCheck(check)),
    record: (record, audit) => runner.write(() => recordCheck(record, audit)),
    claimDue: (request) => runner.write(() => claimDueProofs(request)),
  };
}
