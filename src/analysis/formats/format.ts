import type { Facts, IndicatorKind } from '../../domain/samples/analysis.ts';
import type { Subject } from '../subject.ts';

/** A tag's heat (1 to 10, see `docs/extending/tags.md`) and its description for users. */
export type TagMeaning = readonly [heat: number, meaning: string];

/** The offset of a finding, and a short note. */
export interface EvidenceNote {
  readonly offset?: number | undefined;
  readonly note?: string | undefined;
}

/** How a format, rule or extractor reports on a subject. */
export interface Findings<Tag extends string = string> {
  tag(name: Tag, evidence?: EvidenceNote): void;
  /** Values to show with the analysis. Further calls add to them. */
  facts(facts: Facts): void;
  indicator(kind: IndicatorKind, value: string, offset: number): void;
  /** Content inside of this subject, to be analysed next. `budget` has counted its bytes. */
  nest(name: string, bytes: Buffer): void;
  /** Reports that a limit left part of the content unread: becomes the tag `LIMIT_EXCEEDED`. */
  limit(note: string): void;
  readonly budget: Budget;
}

/** What one analysis may unpack in total, at any depth. */
export interface Budget {
  /** Reserves one more member; `false` (and the limit is reported) if there is no room. */
  takeMember(): boolean;
  /** Reserves unpacked bytes; `false` (and the limit is reported) if there is no room. */
  takeBytes(count: number): boolean;
  /** Unpacked bytes that may still be reserved. */
  readonly bytesLeft: number;
  /** Members that may still be reserved. */
  readonly membersLeft: number;
  /** Whether the time is over. Long loops check it and stop. */
  isOver(): boolean;
}

/**
 * A file format. `matches` is quick (it tests magic numbers); `inspect` reports findings. It
 * returns for every input in bounded time: counts and lengths from the file are capped, and a
 * reached cap is reported with `limit`.
 */
export interface Format<Tag extends string = string> {
  /** The source of its facts and evidence: `pe`. */
  readonly name: string;
  /** Every tag that it may report. */
  readonly tags: Readonly<Record<Tag, TagMeaning>>;
  /** Whether a program consists of many of these: rules then scan them in batches. */
  readonly isPart?: boolean;
  matches(subject: Subject): boolean;
  inspect(subject: Subject, findings: Findings<Tag>): void | Promise<void>;
}

/** Lets the compiler infer the tags of a format. */
export function defineFormat<const Tag extends string>(format: Format<Tag>): Format<Tag> {
  return format;
}
