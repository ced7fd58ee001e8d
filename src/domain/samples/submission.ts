/** What the store knows of a file that somebody uploads. */
export interface KnownFile {
  /** An operator has removed it: it is not stored again. */
  readonly isRemoved: boolean;
  /** The first upload. */
  readonly upload: { readonly uploadedBy: string; readonly state: string } | undefined;
  /** Whether there is an analysis, of an upload or imported. */
  readonly isAnalysed: boolean;
}

/**
 * `known`: the upload is not stored again; `isFurther`: it is recorded as one more of the file;
 * `isProposed`: the account gets the proposals of its analysis. `new`: it is stored, and analysed
 * if it is `queued`.
 */
export type SubmissionDecision =
  | { readonly kind: 'removed' }
  | { readonly kind: 'known'; readonly isFurther: boolean; readonly isProposed: boolean }
  | { readonly kind: 'new'; readonly state: 'queued' | 'done' };

export function decideSubmission(
  { isRemoved, upload, isAnalysed }: KnownFile,
  accountId: string,
): SubmissionDecision {
  if (isRemoved) return { kind: 'removed' };
  if (upload !== undefined)
    return {
      kind: 'known',
      isFurther: upload.uploadedBy !== accountId,
      isProposed: upload.state === 'done' && isAnalysed,
    };
  return { kind: 'new', state: isAnalysed ? 'done' : 'queued' };
}
