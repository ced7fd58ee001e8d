import type { Caller } from '../src/domain/caller.ts';
import type { Service } from '../src/domain/service.ts';
import type { Dependencies } from '../src/operations/dependencies.ts';
import type { Store } from '../src/ports/store.ts';
import { TestClock, testRandom } from './builders.ts';

type StoreParts = { readonly [Noun in keyof Store]?: Partial<Store[Noun]> };

type FakeDependencies = Dependencies & { readonly clock: TestClock };

/** What an operation stands on, with those parts of a store that a test gives it. */
export function fakeDependencies(parts: StoreParts): FakeDependencies {
  const clock = new TestClock();
  return {
    // An operation that asks for another part fails its test, as it should.
    store: parts as Store,
    clock,
    now: clock.now,
    randomBytes: testRandom(),
    resultsPage: (sha256) => `https://rapsheet.example/files/${sha256}`,
  };
}

export const alice: Caller = {
  accountId: 'a1',
  name: 'alice',
  roles: ['researcher'],
  services: [],
  tokenId: 't1',
};

export const ply: Service = {
  slug: 'ply',
  name: 'Ply',
  confidenceScale: 100,
  hosts: [],
  networks: [],
  createdAt: new Date('2026-01-01T00:00:00Z'),
};
