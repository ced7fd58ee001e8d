import type { C2Address } from '../reports/c2-address.ts';
import type { AnalysisReport } from './analysis-report.ts';

/** A finished analysis: the report and its evidence. */
export interface Analysis {
  readonly report: AnalysisReport;
  readonly details: AnalysisDetails;
}

export interface AnalysisDetails {
  /** Absent for files with fewer than 50 bytes or too little variance. */
  readonly tlsh?: string | undefined;
  readonly evidence: readonly Evidence[];
  readonly indicators: readonly Indicator[];
  /** Parsed facts of the file itself, by format (`pe`, `elf`, …). Members have none. */
  readonly facts: Readonly<Record<string, Facts>>;
  readonly members: readonly Member[];
  /**
   * The distinct C2 addresses in the settings. Texts that are not an address are only in `configs`.
   */
  readonly c2s: readonly FoundC2[];
  /**
   * Whether the settings have further C2s: on a page that holds the real address (a dead drop),
   * without a port, or more than the limit.
   */
  readonly hasMoreC2s?: boolean | undefined;
}

/** A C2 address in the settings of a family. The service never connects to it. */
export interface FoundC2 extends C2Address {
  /** A key of `configs`. */
  readonly family: string;
}

/** The source of a tag. */
export interface Evidence {
  readonly tag: string;
  readonly heat: number;
  /** The parser, rule or extractor: `pe`, `rule:persistence/schtasks`, `extractor:xworm`. */
  readonly source: string;
  /** In the file, or in `member`. */
  readonly offset?: number | undefined;
  readonly note?: string | undefined;
  /** The path through containers to the member; absent for the file itself. */
  readonly member?: string | undefined;
}

export type IndicatorKind =
  | 'url'
  | 'address'
  | 'host'
  | 'discord-webhook'
  | 'telegram-token'
  | 'telegram-chat'
  | 'email'
  | 'wallet'
  | 'onion';

/** A reference to the outside in the bytes. The service never connects to it. */
export interface Indicator {
  readonly kind: IndicatorKind;
  readonly value: string;
  readonly offset: number;
  readonly member?: string | undefined;
}

/** Content inside the file that was analysed too. */
export interface Member {
  /** The names of the containers and of the member. For display; it is never used as a path. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly type: string;
}

/** JSON data. */
export type Fact =
  | string
  | number
  | boolean
  | null
  | readonly Fact[]
  | { readonly [key: string]: Fact };

export type Facts = { readonly [key: string]: Fact };
