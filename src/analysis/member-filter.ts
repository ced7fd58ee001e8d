import type { RenewedRules } from './rules/renewed-rules.ts';
import type { Subject } from './subject.ts';

/** A scan of this much takes a few times as long as that of an empty content. */
const BATCH_BYTES = 4 * 1024 * 1024;
const MAX_MEMBER_BYTES = 256 * 1024;
/** A batch of fewer members saves less than it costs. */
const MIN_MEMBERS = 4;

/**
 * Finds small members that no rule can match. The rule engine takes more than a millisecond for a
 * scan, however small, so the members that are pending are asked about together, and only those
 * that a rule may match are scanned.
 */
export class MemberFilter {
  readonly #rules: Pick<RenewedRules, 'candidates'>;
  readonly #pending: readonly Subject[];
  readonly #mayMatch = new WeakMap<Subject, boolean>();

  /** `pending` are the members that follow, in order. */
  constructor(rules: Pick<RenewedRules, 'candidates'>, pending: readonly Subject[]) {
    this.#rules = rules;
    this.#pending = pending;
  }

  /** Whether a rule may match this content. */
  async mayMatch(subject: Subject): Promise<boolean> {
    if (!this.#mayMatch.has(subject) && isSmall(subject)) await this.#askFor(this.#batch(subject));
    return this.#mayMatch.get(subject) ?? true;
  }

  #batch(subject: Subject): readonly Subject[] {
    const batch = [subject];
    let sizeBytes = subject.bytes.length;
    for (const next of this.#pending) {
      if (!isSmall(next) || this.#mayMatch.has(next)) continue;
      sizeBytes += next.bytes.length;
      if (sizeBytes > BATCH_BYTES) break;
      batch.push(next);
    }
    return batch;
  }

  async #askFor(batch: readonly Subject[]): Promise<void> {
    if (batch.length < MIN_MEMBERS) return;
    // If the rule engine fails, each member is scanned, and the one that fails again is tagged.
    const candidates = await this.#rules
      .candidates(batch.map(({ bytes }) => bytes))
      .catch(() => undefined);
    for (const [index, subject] of batch.entries())
      this.#mayMatch.set(subject, candidates?.[index] ?? true);
  }
}

function isSmall({ bytes, depth }: Subject): boolean {
  return depth > 0 && bytes.length <= MAX_MEMBER_BYTES;
}
