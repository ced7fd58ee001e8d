/** What is left of the lookup quota; `null` where there is no limit, or no reset. */
export interface Quota {
  readonly limit: number | null;
  readonly remaining: number | null;
  /** YYYY-MM-DDTHH:MM:SSZ */
  readonly resetsAt: string | null;
}

interface Details {
  readonly code: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly quota?: Quota | undefined;
}

/** A call that was refused or failed. It never holds the token. */
export class RapsheetError extends Error {
  /** `undefined` where there was no answer at all. */
  readonly status: number | undefined;
  /**
   * The server's stable word for it (`X-Error-Code`), or one of ours: `no_answer` (nothing came, or not all
   * of it), `bad_answer` (what came is not from a Rapsheet server), `bad_options`.
   */
  readonly code: string;
  /** Identifies the call in the server's log. */
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Of a lookup that was refused: most refusals cost a unit too. */
  readonly quota: Quota | undefined;

  constructor(message: string, details: Details) {
    super(message);
    this.name = 'RapsheetError';
    this.code = details.code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.quota = details.quota;
  }
}
