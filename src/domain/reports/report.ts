import type { C2Address } from './c2-address.ts';
import type { ReportStatus } from './desk.ts';

/** A report as it stands in a feed. */
export interface Report {
  readonly id: string;
  readonly service: string;
  /** The number of its last change in the feed. */
  readonly sequence: number;
  readonly name: string;
  readonly tags: readonly string[];
  readonly c2: C2Address;
  readonly reportedAt: Date;
  readonly reporterId: string;
  readonly reportedBy: string;
  readonly sha256: string;
  readonly firstSeenId: string;
  readonly reference: string;
  readonly confidence: number;
  /** The number of its creation in the feed. */
  readonly createdSequence: number;
  readonly status: ReportStatus;
  readonly statusReason: string | undefined;
  /** What the desk says to the reporter. */
  readonly statusNote: string | undefined;
  /** The account that set the status at the desk; absent where time did, or nobody. Not for every reader. */
  readonly statusBy?: string | undefined;
  /** When it last changed. */
  readonly updatedAt: Date;
  readonly expiresAt: Date;
  /** How many other accounts reported the same C2 in this feed, as of its last change. */
  readonly corroboration: number;
  /** How many reports of the same C2 stand in this feed, itself included, as of its last change. */
  readonly sightings: number;
  /** Whether an earlier report of this C2 had been acted on when it came. */
  readonly recurrence: boolean;
}

/** What a researcher supplies. */
export interface ReportDraft {
  readonly tags: readonly string[];
  readonly c2: C2Address;
  readonly sha256: string;
  readonly reference: string | undefined;
  readonly confidence: number | undefined;
}

export const MAX_TAGS = 32;
export const MAX_TAG_LENGTH = 64;
export const MAX_REFERENCE_LENGTH = 2048;

/** What nobody can see: controls, format signs, unassigned and private code points, odd spaces, fillers. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Zs} ]/u;
const PLAIN = /^[\x20-\x7e]*$/;

/** Whether every character of the text can be seen, or is a plain space. */
export function isVisible(text: string): boolean {
  return (PLAIN.test(text) || !UNSEEN.test(text)) && text.trim() !== '';
}

export function isTag(text: string): boolean {
  return (
    text.length > 0 &&
    (text.length <= MAX_TAG_LENGTH || [...text].length <= MAX_TAG_LENGTH) &&
    isVisible(text)
  );
}

/** Directly a host: more slashes would be skipped by a browser, and what stands before an "@" with them. */
const REFERENCE = /^https?:\/\/[^\s\\/?#][^\s\\]*$/i;

/** An http or https URL without user name or password. It is kept as it was written, never fetched. */
export function isReference(text: string): boolean {
  if (text.length > MAX_REFERENCE_LENGTH || !REFERENCE.test(text)) return false;
  if (!isVisible(text) || !URL.canParse(text)) return false;
  return !/^https?:\/\/[^/?#]*@/i.test(text);
}

/** What a report is called: after the analysis of its file, else its own first tag. */
export function nameReport(family: string | undefined, tags: readonly string[]): string {
  return family ?? tags[0] ?? 'unknown';
}
