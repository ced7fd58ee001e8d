import { randomBytes } from 'node:crypto';
import { readConfig } from '../../src/config.ts';
import { Directory } from '../../src/domain/directory/directory.ts';
import { KnownLists } from '../../src/domain/lists/known-lists.ts';
import { IndicatorHosts } from '../../src/domain/reports/indicator-hosts.ts';
import { createRates } from '../../src/http/gate/account-rates.ts';
import { BadTokens } from '../../src/http/gate/bad-tokens.ts';
import { TokenUsage } from '../../src/http/gate/token-usage.ts';
import { serializers } from '../../src/http/responses/present.ts';
import { buildServer } from '../../src/http/server.ts';
import { createLog } from '../../src/observability/log.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { AnalysisEvents } from '../../src/operations/samples/analysis-events.ts';
import type { Exports } from '../../src/ports/exports.ts';
import type { SampleFiles } from '../../src/ports/sample-files.ts';
import { openSqliteDatabase } from '../../src/server/open-sqlite-database.ts';
import type { JsonSchema } from './typescript.ts';

/** The parts of the OpenAPI document that are read here. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

export interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly security?: readonly unknown[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

interface DocumentedResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>>;
  readonly headers?: Readonly<Record<string, unknown>>;
}

/** Reads the document from a server that does not listen and stores its data in memory. */
export async function readDocument(): Promise<Document> {
  const defaults = readConfig({});
  const { store } = openSqliteDatabase(':memory:', serializers);
  const app = await buildServer(
    {
      store,
      // The server receives no requests, so there are no uploads.
      files: {} as SampleFiles,
      openDigester: () => Promise.reject(new Error('this server accepts no uploads')),
      sendsMail: false,
      networks: { originOf: () => ({}) },
      uploadLimitBytes: defaults.uploadLimitBytes,
      accountLimits: defaults.accountLimits,
      analysisEvents: new AnalysisEvents(),
      workers: async () => undefined,
      settings: [],
      directory: new Directory([]),
      compatWebSocket: false,
      indicatorHosts: () => new IndicatorHosts({ lists: new KnownLists(), baseUrl: '' }),
      knownLists: () => new KnownLists(),
      now: () => new Date(),
      randomBytes,
      resultsPage: (sha256) => `/files/${sha256}`,
      welcomePage: (secret) => `/welcome#${secret}`,
      metrics: createMetrics(),
      tokenUsage: new TokenUsage(),
      badTokens: new BadTokens(),
      rates: createRates(defaults.accountLimits),
      isDraining: () => false,
      baseUrl: () => '',
      outgoing: { refusal: () => undefined },
      prover: { check: async () => undefined },
      sealer: {
        keyId: '',
        seal: (secret) => ({ sealed: secret, keyId: '' }),
        open: (sealed) => sealed,
      },
      wakeDeliveries: () => {},
      exports: {} as Exports,
    },
    { log: createLog('silent'), trustProxy: false, limits: defaults.limits },
  );
  try {
    return app.swagger() as unknown as Document;
  } finally {
    await app.close();
    await store.close();
  }
}
