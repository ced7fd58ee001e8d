import type { RuleMatch, Rules } from './rules.ts';

type Scanner = Pick<Rules, 'scan' | 'problems'>;

/**
 * Rules whose engine is replaced after a failure: a scan that throws leaves its WebAssembly memory
 * in an unknown state. Compiling takes about a second, so it is deferred to the next scan.
 */
export class RenewedRules {
  readonly problems: readonly string[];
  readonly #open: () => Promise<Scanner>;
  #rules: Scanner | undefined;

  constructor(rules: Scanner, open: () => Promise<Scanner>) {
    this.problems = rules.problems;
    this.#rules = rules;
    this.#open = open;
  }

  async scan(bytes: Uint8Array): Promise<readonly RuleMatch[]> {
    this.#rules ??= await this.#open();
    try {
      return this.#rules.scan(bytes);
    } catch (cause) {
      this.#rules = undefined;
      throw cause;
    }
  }
}
