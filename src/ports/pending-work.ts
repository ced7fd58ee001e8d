/** Background work that is due. */
export interface PendingWork {
  /** Files that are to be analysed, or are being analysed. */
  readonly uploads: boolean;
  readonly webhooks: boolean;
  readonly mails: boolean;
  /** Reports whose time is over. */
  readonly expiries: boolean;
  /** Reports of files that were analysed. */
  readonly updates: boolean;
  /** Reports of C2s that a desk has rejected, or no longer rejects. */
  readonly rejections: boolean;
  /** Analyses that are not in the index of similar files yet. */
  readonly similar: boolean;
  /** Rows that are older than an index or a counter. */
  readonly backFills: boolean;
  /** A run that analyses all files again. */
  readonly reanalysis: boolean;
}

export interface PendingWorkRequest {
  readonly now: Date;
  /** The id of the key that seals secrets: only webhooks with such secrets can be sent. */
  readonly keyId: string;
}
