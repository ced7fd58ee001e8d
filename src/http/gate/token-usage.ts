import type { TokenStore } from '../../ports/store.ts';

/** Remembers when tokens were used, and writes it down now and then: a use must not cost a flush. */
export class TokenUsage {
  #uses = new Map<string, Date>();

  record(tokenId: string, at: Date): void {
    this.#uses.set(tokenId, at);
  }

  async write(tokens: Pick<TokenStore, 'touch'>): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = this.#uses;
    this.#uses = new Map();
    try {
      await tokens.touch(uses);
    } catch (cause) {
      // For the next time; a later use of the same token counts.
      this.#uses = new Map([...uses, ...this.#uses]);
      throw cause;
    }
  }
}
