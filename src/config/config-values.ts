import type { AccountLimits } from '../domain/accounts/account-limits.ts';
import type { DatabaseLocation, SamplesLocation, SmtpLocation } from './locations.ts';
import type { LEVELS } from './settings.ts';

export interface MailConfig {
  readonly server: SmtpLocation;
  readonly from: string;
}

/** The settings of a server, read and checked. */
export interface ConfigValues {
  readonly port: number;
  readonly host: string;
  /** Without a slash at the end; `undefined`: the URL on which the server listens. */
  readonly baseUrl: string | undefined;
  readonly analysisUrl: string | undefined;
  readonly dataDir: string;
  readonly database: DatabaseLocation;
  /** The largest number of connections of this process to PostgreSQL. */
  readonly databasePool: number;
  readonly httpWorkers: number;
  readonly samples: SamplesLocation;
  readonly uploadLimitBytes: number;
  readonly accountLimits: AccountLimits;
  readonly analysisWorkers: number;
  /** Of `rapsheet analyse`, beside which there is no API. */
  readonly localWorkers: number;
  readonly rulesFolder: string | undefined;
  readonly compatWebSocket: boolean;
  readonly changesKeptDays: number;
  /** The limit on the files of exports of this process. */
  readonly exportsMaxBytes: number;
  readonly suricataFirstSid: number;
  readonly webhookAllowHttp: boolean;
  readonly webhookAllowNetworks: readonly string[];
  /** `undefined`: those of the system. */
  readonly dnsResolver: string | undefined;
  /** The port of `/.well-known/rapsheet`, if it is not that of the scheme. */
  readonly wellKnownPort: number | undefined;
  /** Names and networks that are no indicators. */
  readonly allowList: readonly string[];
  /** `undefined`: the key in the data folder. */
  readonly secretKey: Uint8Array | undefined;
  /** The mail server and the address of the sender; `undefined`: no mail is sent. */
  readonly mail: MailConfig | undefined;
  /** The `PATH` in which programs of the system are searched. */
  readonly programPath: string;
  readonly adminToken: string | undefined;
  readonly trustProxy: readonly string[];
  /** Origins whose pages may call the API. */
  readonly corsOrigins: readonly string[];
  /** Those that are set. The HTTP server has the defaults. */
  readonly limits: {
    readonly memoryBytes?: number;
    readonly connections?: number;
    readonly connectionsPerAddress?: number;
    readonly writeTimeoutMs?: number;
  };
  readonly metricsPort: number;
  readonly metricsHost: string;
  readonly logLevel: (typeof LEVELS)[number];
}
