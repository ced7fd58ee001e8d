/** What one account may take of the service at most. Counts of what is open hold for each process. */
export interface AccountLimits {
  /** Uploads whose bodies are being received; as many batches of reports besides. */
  readonly uploads: number;
  /** Streams of feeds that are open. */
  readonly streams: number;
  readonly webSockets: number;
  /** Tokens that are neither revoked nor expired. */
  readonly tokens: number;
  /** The sizes of the samples that the account was the first to upload. */
  readonly storedBytes: number;
  readonly createRate: RateLimit;
  readonly uploadRate: RateLimit;
}

/** A token bucket: `burst` at once, and then so many a minute. */
export interface RateLimit {
  /** `undefined` turns the limit off. */
  readonly perMinute: number | undefined;
  readonly burst: number;
}

/** Stands for no limit where a count is asked for; a database can hold it. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER;

const GIB = 1024 ** 3;
const UPLOADS_PER_MINUTE = 600;

export const DEFAULT_LIMITS: AccountLimits = {
  uploads: 8,
  streams: 100,
  webSockets: 20,
  tokens: 100,
  storedBytes: 50 * GIB,
  // Two full batches at once.
  createRate: { perMinute: 6000, burst: 20_000 },
  uploadRate: { perMinute: UPLOADS_PER_MINUTE, burst: UPLOADS_PER_MINUTE },
};

/** What an operator sets: 0 is no limit, and `undefined` the default. */
export interface LimitSettings {
  readonly uploads: number | undefined;
  readonly streams: number | undefined;
  readonly webSockets: number | undefined;
  readonly tokens: number | undefined;
  readonly storedBytes: number | undefined;
  readonly createsPerMinute: number | undefined;
  readonly createsBurst: number | undefined;
  readonly uploadsPerMinute: number | undefined;
}

export function accountLimitsOf(settings: LimitSettings): AccountLimits {
  const { createRate } = DEFAULT_LIMITS;
  const most = (name: 'uploads' | 'streams' | 'webSockets' | 'tokens' | 'storedBytes') => {
    const set = settings[name] ?? DEFAULT_LIMITS[name];
    return set === 0 ? NO_LIMIT : set;
  };
  const uploadsPerMinute = settings.uploadsPerMinute ?? UPLOADS_PER_MINUTE;
  return {
    uploads: most('uploads'),
    streams: most('streams'),
    webSockets: most('webSockets'),
    tokens: most('tokens'),
    storedBytes: most('storedBytes'),
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
