export type Members = Readonly<Record<string, unknown>>;

/** Sent with status 200, because readers of ThreatFox expect it. */
export interface QueryRefusal {
  readonly query_status: string;
  readonly message: string;
}

export function refusal(query_status: string, message: string): QueryRefusal {
  return { query_status, message };
}
