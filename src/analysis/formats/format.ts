import type { Facts, IndicatorKind } from '../../domain/samples/analysis.ts';
import type { Subject } from '../subject.ts';

/** A tag's heat (1 to 10, see `docs/extending/tags.md`) and what it says, for people. */
export type TagMeaning = readonly [heat: number, meaning: string];

/** Where something was seen, and a few words about it. */
export interface Seen {
  readonly offset?: number | undefined;
  readonly note?: string | undefined;
}

/** What whoever looks at a subject may say of it. */
export interface Findings<Tag extends string = string> {
  tag(name: Tag, seen?: Seen): void;
  /** What was read, to be shown beside the report. Called again it adds to what is there. */
  facts(facts: Facts): void;
  indicator(kind: IndicatorKind, value: string, offset: number): void;
  /** Content inside of this one, to be looked at in its turn. The bytes were counted by `budget`. */
  nest(name: string, bytes: Buffer): void;
  /** A limit was met and something was left unread: becomes the tag `LIMIT_EXCEEDED`. */
  limit(what: string): void;
  readonly budget: Budget;
}

/** What one analysis may unpack in all, however deep it is nested. */
export interface Budget {
  /** Takes room for one more member; `false` where there is none (it is noted as a limit). */
  takeMember(): boolean;
  /** Takes room for that many more unpacked bytes; `false` where there is none (it is noted as a limit). */
  takeBytes(count: number): boolean;
  /** How many unpacked bytes may still come. */
  readonly bytesLeft: number;
  /** How many members may still come. */
  readonly membersLeft: number;
  /** Whether time is nearly over: what loops asks now and then, and stops. */
  isOver(): boolean;
}

/**
 * A kind of content. `matches` is quick (a look at magic numbers); `inspect` says what it finds. It returns
 * for every input, in bounded time: counts and lengths from the file are capped, and a cap that was met is
 * told by `limit`.
 */
export interface Format<Tag extends string = string> {
  /** Names the facts and the evidence: `pe`. */
  readonly name: string;
  /** Every tag that it may give. */
  readonly tags: Readonly<Record<Tag, TagMeaning>>;
  /** Whether many of these make one program: rules then look at them together, not at each. */
  readonly isPart?: boolean;
  matches(subject: Subject): boolean;
  inspect(subject: Subject, findings: Findings<Tag>): void | Promise<void>;
}

/** Only lets the compiler see which tags a format has. */
export function defineFormat<const Tag extends string>(format: Format<Tag>): Format<Tag> {
  return format;
}
