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

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const UPLOADS_PER_MINUTE = 600;

export const DEFAULT_LIMITS: AccountLimits = {
  uploads: 8,
  streams: 100,
  webSockets: 20,
  exports: 8,
  tokens: 100,
  storedBytes: 50 * GIB,
  // The statuses of some 200,000 objects.
  statusBytes: 32 * MIB,
  // Two full batches at once.
  createRate: { perMinute: 6000, burst: 20_000 },
  uploadRate: { perMinute: UPLOADS_PER_MINUTE, burst: UPLOADS_PER_MINUTE },
};

/** The settings of the operator: 0 for no limit, `undefined` for the default. */
export interface LimitSettings {
  readonly uploads: number | undefined;
  readonly streams: number | undefined;
  readonly webSockets: number | undefined;
  readonly exports: number | undefined;
  readonly tokens: number | undefined;
  readonly storedBytes: number | undefined;
  readonly statusBytes: number | undefined;
  readonly createsPerMinute: number | undefined;
  readonly createsBurst: number | undefined;
  readonly uploadsPerMinute: number | undefined;
}

export function accountLimitsOf(settings: LimitSettings): AccountLimits {
  const { createRate } = DEFAULT_LIMITS;
  const limitOf = (name: Exclude<keyof AccountLimits, 'createRate' | 'uploadRate'>) => {
    const set = settings[name] ?? DEFAULT_LIMITS[name];
    return set === 0 ? NO_LIMIT : set;
  };
  const uploadsPerMinute = settings.uploadsPerMinute ?? UPLOADS_PER_MINUTE;
  return {
    uploads: limitOf('uploads'),
    streams: limitOf('streams'),
    webSockets: limitOf('webSockets'),
    exports: limitOf('exports'),
    tokens: limitOf('tokens'),
    storedBytes: limitOf('storedBytes'),
    statusBytes: limitOf('statusBytes'),
    createRate: {
      perMinute: rateOf(settings.createsPerMinute ?? createRate.perMinute),
      burst: settings.createsBurst ?? createRate.burst,
    },
    uploadRate: { perMinute: rateOf(uploadsPerMinute), burst: uploadsPerMinute },
  };
}

function rateOf(perMinute: number | undefined): number | undefined {
  return perMinute === 0 ? undefined : perMinute;
}
