import type { SettingInForce } from '../config/settings-in-force.ts';
import type { Problem } from '../domain/problem.ts';
import type { IndicatorHosts } from '../domain/reports/indicator-hosts.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { ContactDependencies } from '../operations/contacts/find-contacts.ts';
import type { Dependencies } from '../operations/dependencies.ts';
import type { NetworkDependencies } from '../operations/networks/network-dependencies.ts';
import type { OwnershipDependencies } from '../operations/ownership/ownership-dependencies.ts';
import type { ExportDependencies } from '../operations/reports/export-feed.ts';
import type { WebhookDependencies } from '../operations/webhooks/webhook-dependencies.ts';
import type { WorkerState } from '../ports/analyser.ts';
import type { AccountRates } from './gate/account-rates.ts';
import type { BadTokens } from './gate/bad-tokens.ts';
import type { TokenUsage } from './gate/token-usage.ts';

/**
 * Routes and the gate call operations and never use `store` themselves; `architecture.test.ts`
 * enforces it. Only `stream/` reads the feed port directly, because it follows the log of changes
 * rather than serving a single call.
 */
export interface HttpDependencies
  extends Dependencies,
    ContactDependencies,
    WebhookDependencies,
    OwnershipDependencies,
    NetworkDependencies,
    ExportDependencies {
  readonly metrics: Metrics;
  readonly badTokens: BadTokens;
  readonly rates: AccountRates;
  readonly tokenUsage: TokenUsage;
  /** The analysis workers of this node; `undefined` if it does not analyse samples. */
  workers(): Promise<WorkerState | undefined>;
  readonly settings: readonly SettingInForce[];
  /** Whether the legacy WebSocket interface is served. Its clients send the token in the URL. */
  readonly compatWebSocket: boolean;
  /** Whether the server is shutting down and should receive no new requests. */
  isDraining(): boolean;
  /**
   * Why this node should receive no traffic although its database answers; `undefined` if it is
   * ready.
   */
  whyNotReady?(): Promise<Problem | undefined>;
  /** The public base URL of this server; known once it listens. */
  baseUrl(): string;
  /** Decides which hosts may be indicators, by the settings and the base URL. */
  indicatorHosts(): IndicatorHosts;
}
