/** The limits of one account. Limits of concurrency hold for each process. */
export interface AccountLimits {
  /** Concurrent uploads, and separately concurrent batches of reports. */
  readonly uploads: number;
  /** Open streams of feeds. */
  readonly streams: number;
  readonly webSockets: number;
  /** Exports that are waited for or read. */
  readonly exports: number;
  /** Tokens that are neither revoked nor expired. */
  readonly tokens: number;
  /** The total size of the samples that the account was the first to upload. */
  readonly storedBytes: number;
  /** The total size of the statuses of its TAXII submissions, which are kept for two days. */
  readonly statusBytes: number;
  readonly createRate: RateLimit;
  readonly uploadRate: RateLimit;
}

/** A token bucket: `burst` at once, then `perMinute`. */
export interface RateLimit {
  /** `undefined` for no limit. */
  readonly perMinute: number | undefined;
  readonly burst: number;
}

/** The rate of creates of one account, instead of that of all. */
export interface CreateRate {
  readonly perMinute: number;
  readonly burst: number;
}

/** The largest rate that an account can have: more than a server stores. */
export const MAX_CREATES_PER_MINUTE = 6_000_000;
export const MAX_CREATES_BURST = 100_000_000;

/** No limit, as a number that both databases can store. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** The settings of the operator: 0 for no limit. */
export interface LimitSettings extends Omit<AccountLimits, 'createRate' | 'uploadRate'> {
  readonly createsPerMinute: number;
  readonly createsBurst: number;
  readonly uploadsPerMinute: number;
}

export function accountLimitsOf(settings: LimitSettings): AccountLimits {
  const { createsPerMinute, createsBurst, uploadsPerMinute } = settings;
  return {
    uploads: limitOf(settings.uploads),
    streams: limitOf(settings.streams),
    webSockets: limitOf(settings.webSockets),
    exports: limitOf(settings.exports),
    tokens: limitOf(settings.tokens),
    storedBytes: limitOf(settings.storedBytes),
    statusBytes: limitOf(settings.statusBytes),
    createRate: { perMinute: rateOf(createsPerMinute), burst: createsBurst },
    uploadRate: { perMinute: rateOf(uploadsPerMinute), burst: uploadsPerMinute },
  };
}

function limitOf(setting: number): number {
  return setting === 0 ? NO_LIMIT : setting;
}

function rateOf(perMinute: number): number | undefined {
  return perMinute === 0 ? undefined : perMinute;
}
