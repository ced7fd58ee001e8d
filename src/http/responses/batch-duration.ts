import {
  estimateLines,
  type Pace,
  ratePerSecond,
  secondsOfBatch,
} from '../../domain/accounts/batch-pace.ts';
import type { Caller } from '../../domain/accounts/caller.ts';
import type { AccountRate } from '../gate/account-rates.ts';

const LINE_END = 0x0a;

/**
 * Estimates how long a batch takes, by its length and by the lines that arrive until it is asked.
 * The rate is that before the batch.
 */
export class BatchDuration {
  readonly #pace: Pace | undefined;
  readonly #length: number | undefined;
  #bytes = 0;
  #lines = 0;

  constructor(
    rate: AccountRate,
    { accountId, createRate }: Pick<Caller, 'accountId' | 'createRate'>,
    contentLength: string | undefined,
  ) {
    const limit = rate.rateOf(createRate);
    this.#pace = limit && {
      remaining: rate.peek(accountId, createRate).remaining,
      perMinute: limit.perMinute,
    };
    this.#length = contentLength === undefined ? undefined : Number(contentLength);
  }

  /** The same bytes. */
  async *measure(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of body) {
      this.#bytes += chunk.length;
      for (let at = chunk.indexOf(LINE_END); at !== -1; at = chunk.indexOf(LINE_END, at + 1))
        this.#lines += 1;
      yield chunk;
    }
  }

  /** For the response, which begins before the rest of the body is read. */
  get headers(): Readonly<Record<string, string>> {
    if (this.#pace === undefined) return {};
    const lines = estimateLines(this.#length, { bytes: this.#bytes, lines: this.#lines });
    const seconds = lines === undefined ? 0 : secondsOfBatch(lines, this.#pace);
    return {
      'x-batch-rate': String(ratePerSecond(this.#pace)),
      ...(seconds > 0 && { 'x-batch-seconds': String(seconds) }),
    };
  }
}
