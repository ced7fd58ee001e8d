/** Who performs an administrative action, and when. The audit log records both. */
export interface AuditContext {
  readonly actor: string;
  readonly at: Date;
}

export interface AuditEntry {
  readonly id: number;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditPageRequest {
  readonly limit: number;
  /** Only entries with a lower id are returned. */
  readonly before?: number | undefined;
  readonly actor?: string | undefined;
  /** The whole action (`account.add`), or the part before its dot (`account`). */
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
}

export interface AuditPage {
  /** With a filter there may be fewer than the limit, and none, although others follow. */
  readonly entries: readonly AuditEntry[];
  /** `before` of the next page; `undefined` on the last one. */
  readonly nextBefore: number | undefined;
}

export interface AuditStore {
  /** Newest first. A call with a filter reads a bounded part of the log. */
  list(page: AuditPageRequest): Promise<AuditPage>;
  write(
    action: string,
    subject: string,
    detail: Readonly<Record<string, unknown>>,
    audit: AuditContext,
  ): Promise<void>;
}
