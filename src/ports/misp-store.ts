import type { PublishedVersion } from './published-versions.ts';

/** A UTC day with reports, which is an event of the MISP feed. */
export interface MispDay {
  /** YYYY-MM-DD, of the time at which its reports were made. */
  readonly day: string;
  /**
   * The timestamp of the event, in seconds since 1970. No two days of a feed have the same, and
   * every change of a report of the day is followed by a higher one.
   */
  readonly stamp: number;
}

/** The end of a page. */
export interface DayPosition {
  readonly time: string;
  readonly number: number;
}

export interface DayPage {
  readonly versions: readonly PublishedVersion[];
  /** `undefined` after the last page. */
  readonly next: DayPosition | undefined;
}

export interface MispStore {
  /** The slugs of feeds with changes that have not raised a stamp yet. */
  changedFeeds(): Promise<readonly string[]>;
  /**
   * Raises the stamps of the days of the next changes, at most `limit` of reports and as many of
   * deletions. Each change raises a stamp once, whichever node calls this. Returns the number of
   * changes; 0: there are none.
   */
  stampDays(service: string, now: Date, limit: number): Promise<number>;
  /** In the order of the days. Also days of which no report is left. */
  days(service: string): Promise<readonly MispDay[]>;
  /**
   * The reports of a day with the deleted ones, by time and number. A report that is changed or
   * deleted between two pages is on exactly one of them. A page has at most three times `limit`.
   */
  pageOfDay(
    service: string,
    day: string,
    after: DayPosition | undefined,
    limit: number,
  ): Promise<DayPage>;
}
