/** Limits of one analysis. Reaching one adds the tag `LIMIT_EXCEEDED`. */
export const LIMITS = {
  /** Containers within containers. */
  depth: 5,
  members: 1000,
  unpackedBytes: 256 * 1024 * 1024,
  /**
   * After this much processor time no new work begins, so that the results so far are returned. The
   * elapsed time depends on the other processes of the machine; its limits are a last resort.
   */
  softProcessorMs: 12_000,
  softElapsedMs: 300_000,
  /** After this the worker is killed. */
  hardProcessorMs: 20_000,
  hardElapsedMs: 600_000,
  /** A worker that waits for longer than this, without using a processor, is killed. */
  hardIdleMs: 20_000,
  tags: 64,
  evidence: 256,
  evidencePerTag: 4,
  indicators: 500,
  /** Characters of a single text value. */
  textLength: 2048,
  /** The longest response of a worker. */
  responseBytes: 4 * 1024 * 1024,
  factsBytes: 256 * 1024,
  factNameLength: 512,
  /** The number of values in all facts, and the length of the longest text among them. */
  factValues: 20_000,
  factLength: 16_384,
  /**
   * Settings of families: C2 addresses, settings per family, and characters of a name, of a value
   * and of all together.
   */
  c2s: 1000,
  settings: 128,
  settingNameLength: 128,
  settingLength: 16_384,
  settingsLength: 512 * 1024,
  /** The source of a piece of evidence, such as `rule:<namespace>/<rule>`. */
  sourceLength: 256,
} as const;
