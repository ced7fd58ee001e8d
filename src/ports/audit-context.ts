/** Who performs an administrative action, and when. The audit log records both. */
export interface AuditContext {
  readonly actor: string;
  readonly at: Date;
}
