import type { Caller } from '../src/domain/accounts/caller.ts';
import { KnownLists } from '../src/domain/lists/known-lists.ts';
import type { Service } from '../src/domain/services/service.ts';
import type { Dependencies } from '../src/operations/dependencies.ts';
import { AnalysisEvents } from '../src/operations/samples/analysis-events.ts';
import type { OpenDigester } from '../src/ports/digester.ts';
import type { SampleFiles } from '../src/ports/sample-files.ts';
import type { Store } from '../src/ports/store.ts';
import { DEFAULTS, TestClock, testRandom } from './builders.ts';

type StoreParts = { readonly [Noun in keyof Store]?: Partial<Store[Noun]> };

type FakeDependencies = Dependencies & { readonly clock: TestClock };

interface OtherDependencies {
  readonly files?: Partial<SampleFiles>;
  readonly openDigester?: OpenDigester;
}

/** The dependencies of an operation, with the given parts of a store. */
export function fakeDependencies(
  parts: StoreParts,
  others: OtherDependencies = {},
): FakeDependencies {
  const clock = new TestClock();
  return {
    // An operation that uses a missing part fails its test.
    store: parts as Store,
    files: (others.files ?? {}) as SampleFiles,
    openDigester: others.openDigester ?? (() => Promise.reject(new Error('no digester was given'))),
    sendsMail: false,
    uploadLimitBytes: 1000,
    accountLimits: DEFAULTS.accountLimits,
    analysisEvents: new AnalysisEvents(),
    knownLists: () => new KnownLists(),
    clock,
    now: clock.now,
    randomBytes: testRandom(),
    resultsPage: (sha256) => `https://rapsheet.example/files/${sha256}`,
    welcomePage: (secret) => `https://rapsheet.example/welcome#${secret}`,
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
  expireAfterDays: 90,
  createdAt: new Date('2026-01-01T00:00:00Z'),
};
