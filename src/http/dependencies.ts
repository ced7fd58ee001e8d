import type { Metrics } from '../observability/metrics.ts';
import type { Dependencies } from '../operations/dependencies.ts';
import type { BadTokens } from './bad-tokens.ts';
import type { TokenDigests } from './token-digests.ts';
import type { TokenUses } from './token-uses.ts';

export interface HttpDependencies extends Dependencies {
  readonly metrics: Metrics;
  readonly badTokens: BadTokens;
  readonly tokenUses: TokenUses;
  readonly tokenDigests: TokenDigests;
  /** Whether the server is on its way out and should get no new work. */
  isDraining(): boolean;
  /** Where this server is reached from outside; known once it listens. */
  baseUrl(): string;
}
