import type { FeedScope } from './feed-store.ts';
import type { PublishedVersion } from './published-versions.ts';

/** An event of a MISP feed: a part of the reports of a service and a UTC day. */
export interface MispEvent {
  readonly id: string;
  readonly service: string;
  /** The display name of the service. */
  readonly serviceName: string;
  /** YYYY-MM-DD, of the time at which its reports were made. */
  readonly day: string;
  /** From 1 on. */
  readonly part: number;
  /**
   * Its timestamp, in seconds since 1970. No two events have the same, and every change of a
   * report of the event is followed by a higher one.
   */
  readonly stamp: number;
}

/** The end of a page of reports. */
export interface ReportPosition {
  readonly time: string;
  readonly number: number;
}

export interface ReportPage {
  readonly versions: readonly PublishedVersion[];
  /** `undefined` after the last page. */
  readonly next: ReportPosition | undefined;
}

export interface StampRequest {
  /** From which the ids of events are derived. */
  readonly namespace: string;
  readonly now: Date;
  /** At most as many changes of reports, and as many deletions. */
  readonly limit: number;
}

export interface MispStore {
  /** The slugs of feeds with changes that have not raised a stamp yet. */
  changedFeeds(): Promise<readonly string[]>;
  /**
   * Raises the stamps of the events of the next changes of a feed. Each change raises a stamp once,
   * whichever node calls this. Returns the number of changes; 0: there are none.
   */
  stampEvents(service: string, request: StampRequest): Promise<number>;
  /** The highest stamp of all feeds; 0 if there is none. */
  lastStamp(): Promise<number>;
  /** A number that grows with every stamp of an event in the scope; 0 before the first. */
  version(scope: FeedScope): Promise<number>;
  /** By service, day and part. Also events of which no report is left. */
  events(
    scope: FeedScope,
    after: MispEvent | undefined,
    limit: number,
  ): Promise<readonly MispEvent[]>;
  find(scope: FeedScope, id: string): Promise<MispEvent | undefined>;
  /**
   * The reports of an event with the deleted ones, by time and number. A report that is changed or
   * deleted between two pages is on exactly one of them. A page has at most three times `limit`,
   * and may be empty before the last one.
   */
  reports(event: MispEvent, after: ReportPosition | undefined, limit: number): Promise<ReportPage>;
}
