/** What became of the objects that an account submitted together. */
export interface Submission {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: Date;
  /** The status resource as JSON. */
  readonly body: string;
}

export interface SubmissionStore {
  add(submission: Submission): Promise<void>;
  /** `undefined` if another account submitted it. */
  find(id: string, accountId: string): Promise<string | undefined>;
  /** The bytes that the submissions of the account use. */
  bytesOf(accountId: string): Promise<number>;
  /** Deletes older ones, at most `limit`. Returns the number deleted; 0: none is left. */
  deleteOld(before: Date, limit: number): Promise<number>;
}
