import type { Budget, TagMeaning } from '../formats/format.ts';
import type { Subject } from '../subject.ts';

/** An address that a family connects to. */
export interface Endpoint {
  readonly protocol: 'tcp' | 'udp' | 'http' | 'https' | 'dns' | 'smtp' | 'ftp' | 'other';
  readonly usage: 'c2' | 'download' | 'upload' | 'dead-drop' | 'other';
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly url?: string | undefined;
}

/**
 * The settings of a sample, after the MACO model. Values are proved by the format (a MAC, a
 * padding, a field count) unless `heuristic` is set.
 */
export interface Extraction {
  /** Lower case. Defaults to the extractor's family; set if several families share a layout. */
  readonly family?: string | undefined;
  readonly version?: string | undefined;
  readonly campaign?: readonly string[] | undefined;
  readonly mutex?: readonly string[] | undefined;
  readonly endpoints: readonly Endpoint[];
  /** All other settings, by their usual name: `Install Folder`. Text only. */
  readonly other?: Readonly<Record<string, string>> | undefined;
  /** Capabilities that the settings enable: names of the extractor's `tags`. */
  readonly capabilities?: readonly string[] | undefined;
  readonly heuristic?: boolean | undefined;
  /** File offset of the settings. */
  readonly offset?: number | undefined;
}

/** The family is certain, but the settings are missing (a template) or not supported. */
export interface Recognition {
  readonly family?: string | undefined;
  /** The reason, for the evidence: `template that was never built`. */
  readonly unread: string;
  readonly offset?: number | undefined;
}

/** The documentation of a family. The table of families is generated from it. */
export interface FamilyPage {
  /** Display name: `AsyncRAT`. */
  readonly name: string;
  /** The settings that are read. */
  readonly reads: string;
  /** The supported versions and variants. */
  readonly versions: string;
  /** How settings are verified: `HMAC over every field`. */
  readonly proof: string;
  /** Known variants and settings that are not read. */
  readonly notCovered: string;
  /** Public descriptions of the layout. */
  readonly references: readonly string[];
}

/** Reads the settings of one family. Other families and damaged files give `undefined`. */
export interface Extractor {
  /** Lower case; the analysis has it in upper case. */
  readonly family: string;
  /**
   * `false` for an extractor that identifies no family (`generic`): its settings are in `configs`,
   * beside those of a family, and its capabilities are tags, but there is no family tag and the
   * sample is not named after it.
   */
  readonly namesFamily?: boolean | undefined;
  /** The extractor's family and the others it distinguishes, each with its documentation. */
  readonly pages: Readonly<Record<string, FamilyPage>>;
  /** Category tag of the family: `RAT`, `STEALER`, `LOADER`, `BOT`. */
  readonly category?: string | undefined;
  /** Capabilities that settings enable, with their heat (at most 8). */
  readonly tags?: Readonly<Record<string, TagMeaning>> | undefined;
  /** A cheap test whether `extract` is worth calling. Must not parse the whole file. */
  matches(subject: Subject): boolean;
  /**
   * `budget` limits the time and the unpacked bytes. `reported` is what other extractors found in
   * the same subject: a generic extractor leaves out values that a family already has.
   */
  extract(
    subject: Subject,
    budget: Budget,
    reported?: readonly Extraction[],
  ): Extraction | Recognition | undefined;
}
