import type { RuleMatch, Rules } from './rules.ts';

type Scanner = Pick<Rules, 'scan' | 'problems'>;

/**
 * Rules whose engine is replaced after it has failed. A scan that throws leaves its WebAssembly in a state that nobody
 * knows; compiling the rules again takes about a second, so it is done for the next scan and not before.
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
