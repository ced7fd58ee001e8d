import type { Budget, TagMeaning } from '../formats/format.ts';
import type { Subject } from '../subject.ts';

/** Where a family talks to. */
export interface Endpoint {
  readonly protocol: 'tcp' | 'udp' | 'http' | 'https' | 'dns' | 'smtp' | 'ftp' | 'other';
  readonly usage: 'c2' | 'download' | 'upload' | 'dead-drop' | 'other';
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly url?: string | undefined;
}

/**
 * What a family's settings say, in the shape of the MACO model. Only what was proved by construction (a MAC,
 * a padding, a count of fields) belongs here, unless `heuristic` says otherwise.
 */
export interface Extraction {
  /** Where one extractor knows several families that share a layout; its own by default. Lower-case. */
  readonly family?: string | undefined;
  readonly version?: string | undefined;
  readonly campaign?: readonly string[] | undefined;
  readonly mutex?: readonly string[] | undefined;
  readonly endpoints: readonly Endpoint[];
  /** Everything else, by the name that people know it by: `Install Folder`. Text only. */
  readonly other?: Readonly<Record<string, string>> | undefined;
  /** What the settings switch on: names of the extractor's own `tags`. */
  readonly capabilities?: readonly string[] | undefined;
  readonly heuristic?: boolean | undefined;
  /** Where the settings lie. */
  readonly offset?: number | undefined;
}

/** The family was recognised beyond doubt, but its settings are not there (a template) or cannot be read by us. */
export interface Recognition {
  readonly family?: string | undefined;
  /** Why there are no settings, for the evidence: `template that was never built`. */
  readonly unread: string;
  readonly offset?: number | undefined;
}

/** What the documentation says of a family; the table of families is generated from it. */
export interface FamilyPage {
  /** As people write it: `AsyncRAT`. */
  readonly name: string;
  /** Which settings are read. */
  readonly reads: string;
  /** Of which versions and variants. */
  readonly versions: string;
  /** Why a reading is not a guess: `HMAC over every field`. */
  readonly proof: string;
  /** What is known to exist and is not read. */
  readonly notCovered: string;
  /** Public descriptions of the layout. */
  readonly references: readonly string[];
}

/** One family. "Not mine" and "damaged" both give nothing. */
export interface Extractor {
  /** Lower-case; the report has it in upper case. */
  readonly family: string;
  /**
   * `false` for a finder that names no family (`generic`): what it finds stands in `configs` and gives the tags of its
   * capabilities, but no tag of a family, and no file is called after it.
   */
  readonly namesFamily?: boolean | undefined;
  /** Families that it tells apart beside its own, each with its page. */
  readonly pages: Readonly<Record<string, FamilyPage>>;
  /** The category its tag stands in: `RAT`, `STEALER`, `LOADER`, `BOT`. */
  readonly category?: string | undefined;
  /** Capabilities that settings switch on, with their heat (at most 8). */
  readonly tags?: Readonly<Record<string, TagMeaning>> | undefined;
  /** Quick, and never by parsing the whole: whether it is worth trying. */
  matches(subject: Subject): boolean;
  /** `budget` says when time is nearly over, and counts what is unpacked. */
  extract(subject: Subject, budget: Budget): Extraction | Recognition | undefined;
}
