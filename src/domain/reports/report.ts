import type { C2Address } from './c2-address.ts';
import type { Confirmation } from './confirmation.ts';
import type { ReportStatus } from './desk.ts';

/** A report of a feed. */
export interface Report {
  readonly id: string;
  readonly service: string;
  /** The sequence of its last change in the feed. */
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
  /** The sequence of its creation in the feed. */
  readonly createdSequence: number;
  readonly status: ReportStatus;
  readonly statusReason: string | undefined;
  /** The message of the desk to the reporter. */
  readonly statusNote: string | undefined;
  /** The account that set the status; absent if none did. Not for every reader. */
  readonly statusBy?: string | undefined;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
  /** The number of other accounts that reported the same C2 in this feed, as of its last change. */
  readonly corroboration: number;
  /** The number of reports of the same C2 in this feed, including this, as of its last change. */
  readonly sightings: number;
  /** Whether an earlier report of this C2 was `actioned` when this one was created. */
  readonly recurrence: boolean;
  /** Whether the configuration in its file names this C2. */
  readonly confirmation: Confirmation;
  /** The service that answers for the C2 by its declared hosts and networks, if any does. */
  readonly routedTo: string | undefined;
}

/**
 * A report as lists, changes and streams send it, if its text depends on the reader. They send
 * many, so the fields of its creation stay the stored text, and times are not parsed.
 */
export interface SerializedReport
  extends Pick<
    Report,
    | 'service'
    | 'sequence'
    | 'reporterId'
    | 'status'
    | 'statusReason'
    | 'statusNote'
    | 'statusBy'
    | 'corroboration'
    | 'sightings'
    | 'recurrence'
    | 'confirmation'
    | 'routedTo'
  > {
  /** The specified fields as a JSON object. */
  readonly body: string;
  /** In ISO 8601 and UTC, with milliseconds. */
  readonly updatedAt: string;
  readonly expiresAt: string;
}

/** The input of a researcher. */
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

/** Invisible characters: controls, format marks, unassigned and private code points, odd spaces. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Zs} ]/u;
const PLAIN = /^[\x20-\x7e]*$/;

/** Whether every character of the text is visible or a plain space. */
export function isVisible(text: string): boolean {
  return (PLAIN.test(text) || !INVISIBLE.test(text)) && text.trim() !== '';
}

/** Whether the text has at most that many characters, each of which is one or two code units. */
function hasCharacters(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && [...text].length <= max);
}

export function isTag(text: string): boolean {
  return text.length > 0 && hasCharacters(text, MAX_TAG_LENGTH) && isVisible(text);
}

/**
 * The host must follow the two slashes: a browser skips more, and with them a part before an "@".
 */
const REFERENCE = /^https?:\/\/[^\s\\/?#][^\s\\]*$/i;

/** An http or https URL without user name or password. It is stored unchanged and never fetched. */
export function isReference(text: string): boolean {
  if (text.length > MAX_REFERENCE_LENGTH || !REFERENCE.test(text)) return false;
  if (!isVisible(text) || !URL.canParse(text)) return false;
  return !/^https?:\/\/[^/?#]*@/i.test(text);
}

/** Each tag once, where it is first. The tags of nearly all reports are returned as they are. */
export function distinctTags(tags: readonly string[]): readonly string[] {
  const isDistinct = tags.every((tag, index) => tags.indexOf(tag) === index);
  return isDistinct ? tags : [...new Set(tags)];
}

/** The name of a report with neither a family nor a tag. */
export const UNNAMED = 'unknown';

/** The name of a report: the family of its C2 in the file, else its first tag. */
export function nameReport(family: string | undefined, tags: readonly string[]): string {
  return family ?? tags[0] ?? UNNAMED;
}

/** Whether the report is in another feed than that of the service that answers for its C2. */
export function isMisrouted({ service, routedTo }: Pick<Report, 'service' | 'routedTo'>): boolean {
  return routedTo !== undefined && routedTo !== service;
}
