import type { Problem } from '../domain/problem.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Dependencies } from '../operations/dependencies.ts';
import type { WebhookDependencies } from '../operations/webhooks/webhook-dependencies.ts';
import type { Isolation } from '../ports/analyser.ts';
import type { Queue } from '../ports/queue.ts';
import type { AccountRates } from './gate/account-rates.ts';
import type { BadTokens } from './gate/bad-tokens.ts';
import type { TokenDigestCache } from './gate/token-digest-cache.ts';
import type { TokenUsage } from './gate/token-usage.ts';

/**
 * Routes and the gate call operations and never read `store` themselves; a test enforces it. `stream/` reads
 * the feed port directly: it follows the log of changes, which is no use case of its own.
 */
export interface HttpDependencies extends Dependencies, WebhookDependencies {
  readonly metrics: Metrics;
  readonly badTokens: BadTokens;
  readonly rates: AccountRates;
  readonly tokenUsage: TokenUsage;
  readonly tokenDigests: TokenDigestCache;
  /** How samples are kept from doing harm; `undefined` where none are analysed here. */
  isolation(): Isolation | undefined;
  readonly queue: Pick<Queue, 'depth'>;
  /** Whether the older WebSocket interface is served, which has a token in its address. */
  readonly compatWebSocket: boolean;
  /** Whether the server is on its way out and should get no new work. */
  isDraining(): boolean;
  /** Why this node should get no calls although its store answers; `undefined` where it should. */
  whyNotReady?(): Promise<Problem | undefined>;
  /** Where this server is reached from outside; known once it listens. */
  baseUrl(): string;
}
