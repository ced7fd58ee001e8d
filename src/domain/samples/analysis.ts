import type { C2Address } from '../reports/c2-address.ts';
import type { AnalysisReport } from './analysis-report.ts';

/** A finished analysis: the report, and beside it why the report says what it says. */
export interface Analysis {
  readonly report: AnalysisReport;
  readonly details: AnalysisDetails;
}

export interface AnalysisDetails {
  readonly evidence: readonly Evidence[];
  readonly indicators: readonly Indicator[];
  /** What the parsers read, by format (`pe`, `elf`, …), for the file itself; of members only their list. */
  readonly facts: Readonly<Record<string, Facts>>;
  readonly members: readonly Member[];
  /** Where the settings that were read say that it reports to; each once. Texts that are no address are in `configs` alone. */
  readonly c2s: readonly FoundC2[];
}

/** An address out of the settings of a family. It is never contacted. */
export interface FoundC2 extends C2Address {
  /** As it stands in `configs`. */
  readonly family: string;
}

/** Where a tag comes from. */
export interface Evidence {
  readonly tag: string;
  readonly heat: number;
  /** The parser, rule or extractor: `pe`, `rule:persistence/schtasks`, `extractor:xworm`. */
  readonly source: string;
  /** In the file, or in the member that is named. */
  readonly offset?: number | undefined;
  readonly note?: string | undefined;
  /** The way through containers to where it was seen; absent for the file itself. */
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

/** Something found in the bytes that points outside. It is never contacted. */
export interface Indicator {
  readonly kind: IndicatorKind;
  readonly value: string;
  readonly offset: number;
  readonly member?: string | undefined;
}

/** Something inside of the file that was looked at as well. */
export interface Member {
  /** Names on the way to it, as the containers state them: text to show, never a path to use. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly type: string;
}

/** Plain data that can be shown and sent as JSON. */
export type Fact =
  | string
  | number
  | boolean
  | null
  | readonly Fact[]
  | { readonly [key: string]: Fact };

export type Facts = { readonly [key: string]: Fact };
