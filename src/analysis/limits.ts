/** What one analysis may take. A limit that was met is a tag (`LIMIT_EXCEEDED`), never silence. */
export const LIMITS = {
  /** Containers within containers. */
  depth: 5,
  members: 1000,
  unpackedBytes: 256 * 1024 * 1024,
  /** After this nothing new is begun, so that what was found until then is told. */
  softTimeMs: 12_000,
  /** After this the worker is killed. */
  hardTimeMs: 20_000,
  tags: 64,
  evidence: 256,
  evidencePerTag: 4,
  indicators: 500,
  /** Text of one value that is shown. */
  textLength: 2048,
  /** What a worker may answer. */
  answerBytes: 4 * 1024 * 1024,
  factsBytes: 256 * 1024,
  factNameLength: 512,
  /** Single values in all of the facts, and the longest text among them. */
  factValues: 20_000,
  factLength: 16_384,
  /** Of the settings of families: addresses, settings of one, and the characters of a name, of a value and of all. */
  c2s: 1000,
  settings: 128,
  settingNameLength: 128,
  settingLength: 16_384,
  settingsLength: 512 * 1024,
  /** Of what a piece of evidence comes from: `rule:<namespace>/<rule>`. */
  sourceLength: 256,
} as const;
