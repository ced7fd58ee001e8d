/** The state of the lookup quota; `null` for no limit, or no reset. */
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

/** A call that was refused or failed. The message never contains the token. */
export class RapsheetError extends Error {
  /** `undefined` if no answer came. */
  readonly status: number | undefined;
  /**
   * The error code of the server (`X-Error-Code`), or one of the client: `no_answer` (no answer, or
   * an incomplete one), `bad_answer` (not the answer of a Rapsheet server), `bad_options`.
   */
  readonly code: string;
  /** Identifies the call in the server's log. */
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Set for a refused lookup: most refusals cost a unit too. */
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
