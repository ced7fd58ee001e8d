import type { RapsheetClient } from '../client/client.ts';
import { type Quota, RapsheetError } from '../client/error.ts';
import type { AnalysisReport } from '../client/wire.ts';
import { parseFileHash } from '../domain/samples/file-hash.ts';

/** One for each hash, in order. */
export interface LookupResult {
  /** As it was asked for. */
  readonly hash: string;
  /** The status of the HTTP response: 200, 404, 429, or 400 for a text that is no hash. */
  readonly status: number;
  readonly report?: AnalysisReport | undefined;
  readonly error?: string;
}

const MALFORMED = 'This is not a SHA-256, SHA-512 or BLAKE3; it was not looked up.';
const MISSING = 'There is no analysis report for this hash.';
const EXHAUSTED_AFTER = 'The quota is exhausted.';
const EXHAUSTED = 'The quota is exhausted; this hash was not looked up.';

/** Looks up hashes until the quota is exhausted. What is no hash takes no unit. */
export class LookupRun {
  readonly #client: Pick<RapsheetClient, 'lookUp' | 'lookUpMany'>;
  /** The refusal after which nothing more is looked up. */
  exhaustion: RapsheetError | undefined;
  quota: Quota | undefined;
  readonly counts = { asked: 0, missing: 0, malformed: 0, skipped: 0 };

  constructor(client: Pick<RapsheetClient, 'lookUp' | 'lookUpMany'>) {
    this.#client = client;
  }

  /** One call per hash, whose refusals say more than the results of a batch. */
  async *oneByOne(hashes: readonly string[]): AsyncGenerator<LookupResult> {
    for (const hash of hashes) yield this.#count(await this.#one(hash));
  }

  /** One call for at most 100 hashes. */
  async *together(hashes: readonly string[]): AsyncGenerator<LookupResult> {
    const valid = hashes.filter((hash) => parseFileHash(hash) !== undefined);
    const found = (await this.#many(valid)).values();
    for (const hash of hashes)
      yield this.#count(
        parseFileHash(hash) === undefined
          ? { hash, status: 400, error: MALFORMED }
          : (found.next().value ?? skipped(hash)),
      );
  }

  async #one(hash: string): Promise<LookupResult> {
    if (this.exhaustion !== undefined) return skipped(hash);
    try {
      const { report, quota } = await this.#client.lookUp(hash);
      this.quota = quota ?? this.quota;
      return { hash, status: 200, report };
    } catch (cause) {
      if (this.#isExhausted(cause)) return skipped(hash);
      if (!(cause instanceof RapsheetError) || cause.status !== 404) throw cause;
      return { hash, status: 404, error: cause.message };
    }
  }

  /**
   * A batch is charged whole or not at all. If fewer units are left, they are spent on the first
   * hashes.
   */
  async #many(hashes: readonly string[]): Promise<readonly LookupResult[]> {
    if (hashes.length === 0 || this.exhaustion !== undefined) return [];
    try {
      const { results, quota } = await this.#client.lookUpMany(hashes);
      this.quota = quota ?? this.quota;
      return results.map((result) =>
        result.status === 200 ? result : { ...result, error: MISSING },
      );
    } catch (cause) {
      if (!this.#isExhausted(cause)) throw cause;
      const left = Math.min(cause.quota?.remaining ?? 0, hashes.length - 1);
      if (left === 0) return [];
      this.exhaustion = undefined;
      const answered = await this.#many(hashes.slice(0, left));
      // The refusal says that nothing was charged, which the second call has changed.
      this.exhaustion ??= new RapsheetError(EXHAUSTED_AFTER, cause);
      return answered;
    }
  }

  #isExhausted(cause: unknown): cause is RapsheetError {
    if (!(cause instanceof RapsheetError)) return false;
    this.quota = cause.quota ?? this.quota;
    if (cause.status !== 429 || !cause.code.startsWith('quota_')) return false;
    this.exhaustion = cause;
    return true;
  }

  #count(result: LookupResult): LookupResult {
    this.counts.asked += 1;
    if (result.status === 404) this.counts.missing += 1;
    if (result.status === 400) this.counts.malformed += 1;
    if (result.status === 429) this.counts.skipped += 1;
    return result;
  }
}

function skipped(hash: string): LookupResult {
  return { hash, status: 429, error: EXHAUSTED };
}
