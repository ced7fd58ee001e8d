/** By whom and when something administrative was done; written to the audit log with it. */
export interface AuditContext {
  readonly actor: string;
  readonly at: Date;
}
