import type { RuleMatch, Rules } from './rules.ts';

type Scanner = Pick<Rules, 'scan' | 'candidates' | 'problems'>;

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
    return await this.#use((rules) => rules.scan(bytes));
  }

  /** As `Rules.candidates`. */
  async candidates(contents: readonly Buffer[]): Promise<readonly boolean[] | undefined> {
    return await this.#use((rules) => rules.candidates(contents));
  }

  async #use<Result>(work: (rules: Scanner) => Result): Promise<Result> {
    this.#rules ??= await this.#open();
    try {
      return work(this.#rules);
    } catch (cause) {
      this.#rules = undefined;
      throw cause;
    }
  }
}
