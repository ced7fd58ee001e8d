import type { TokenStore } from '../../ports/store.ts';

/** Collects when tokens were last used, and writes it periodically: a use must not cost a flush. */
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
      // Kept for the next write. A later use of the same token wins.
      this.#uses = new Map([...uses, ...this.#uses]);
      throw cause;
    }
  }
}
