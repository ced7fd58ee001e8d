/** A file of YARA rules. */
export interface RuleSource {
  /**
   * The unique path without the extension: `persistence`, `local/our-campaigns`. It is the
   * namespace.
   */
  readonly name: string;
  readonly text: string;
  /** Whether it is part of the package; otherwise it is the operator's. */
  readonly ours: boolean;
}
