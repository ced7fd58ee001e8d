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
  readonly version?: string | undefined;
  readonly campaign?: readonly string[] | undefined;
  readonly mutex?: readonly string[] | undefined;
  readonly endpoints: readonly Endpoint[];
  /** Everything else, by the name that people know it by: `Install Folder`. Text only. */
  readonly other?: Readonly<Record<string, string>> | undefined;
  readonly heuristic?: boolean | undefined;
  /** Where the settings lie. */
  readonly offset?: number | undefined;
}

/** One family. "Not mine" and "damaged" both give nothing. */
export interface Extractor {
  /** Lower-case; the report has it in upper case. */
  readonly family: string;
  /** The category its tag stands in: `RAT`, `STEALER`, `LOADER`, `BOT`. */
  readonly category?: string | undefined;
  /** Quick: whether it is worth trying. */
  matches(subject: Subject): boolean;
  extract(subject: Subject): Extraction | undefined;
}
