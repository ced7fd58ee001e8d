import type { AccountLimits } from '../domain/accounts/account-limits.ts';
import type { KnownLists } from '../domain/lists/known-lists.ts';
import { formatUuidV7 } from '../domain/uuid.ts';
import type { OpenDigester } from '../ports/digester.ts';
import type { SampleFiles } from '../ports/sample-files.ts';
import type { Store } from '../ports/store.ts';
import type { AnalysisEvents } from './samples/analysis-events.ts';

/** What operations need. Clock and randomness are injected, so that tests can control them. */
export interface Dependencies {
  readonly store: Store;
  readonly files: SampleFiles;
  readonly openDigester: OpenDigester;
  readonly uploadLimitBytes: number;
  readonly accountLimits: AccountLimits;
  /** Whether a mail server is configured. */
  readonly sendsMail: boolean;
  /** Uploads and finished analyses of this process. */
  readonly analysisEvents: AnalysisEvents;
  /** What is known of hosts and files, as of now. */
  knownLists(): KnownLists;
  now(): Date;
  randomBytes(count: number): Uint8Array;
  /** The id of a new object, if it must be a given one; else a UUIDv7. */
  newId?(): string;
  /** The URL of the page that shows a file. */
  resultsPage(sha256: string): string;
  /**
   * The URL of a sign-in link. The secret is in the fragment, which browsers do not send, so that
   * it is in no log of a server.
   */
  welcomePage(secret: string): string;
}

export function newId(
  deps: Pick<Dependencies, 'now' | 'randomBytes' | 'newId'>,
  at: Date = deps.now(),
): string {
  return deps.newId?.() ?? formatUuidV7(at, deps.randomBytes(10));
}
