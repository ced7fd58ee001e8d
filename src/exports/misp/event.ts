import type { EventPart } from '../../domain/reports/misp-event-id.ts';
import { uuidV5 } from '../../domain/uuid.ts';
import { oneLine } from '../characters.ts';

/** The members of an event that the manifest repeats. */
export interface EventHead {
  readonly uuid: string;
  readonly info: string;
  /** YYYY-MM-DD. */
  readonly date: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly organisation: { readonly name: string; readonly uuid: string };
}

/** "Undefined": a report does not say how severe it is. */
const THREAT_LEVEL = '4';
/** "Complete": nothing is added to it by hand. */
const ANALYSIS = '2';
/** As in the STIX objects. */
const TAGS = [{ name: 'tlp:clear', colour: '#FFFFFF' }];

/** An event, up to its first object. Objects are joined with commas. */
export function eventStart(head: EventHead): string {
  const members = {
    uuid: head.uuid,
    info: head.info,
    date: head.date,
    threat_level_id: THREAT_LEVEL,
    analysis: ANALYSIS,
    published: true,
    timestamp: String(head.timestamp),
    publish_timestamp: String(head.timestamp),
    extends_uuid: '',
    Orgc: head.organisation,
    Tag: TAGS,
  };
  return `{"Event":${JSON.stringify(members).slice(0, -1)},"Attribute":[],"Object":[`;
}

/** Closes the objects and the event, but not the document. */
export const EVENT_END = ']}';

/** The entry of an event in the manifest. */
export function manifestEntry(head: EventHead): Readonly<Record<string, unknown>> {
  return {
    Orgc: head.organisation,
    Tag: TAGS,
    info: head.info,
    date: head.date,
    analysis: ANALYSIS,
    threat_level_id: THREAT_LEVEL,
    timestamp: String(head.timestamp),
  };
}

export interface PublishedFeed {
  readonly slug: string;
  readonly name: string;
}

/** The creator of the events of a feed. */
export function organisationOf(feed: PublishedFeed, namespace: string): EventHead['organisation'] {
  return { name: oneLine(feed.name), uuid: uuidV5(namespace, `misp:organisation:${feed.slug}`) };
}

/** An event of a MISP feed. */
export interface FeedEvent extends EventPart {
  readonly id: string;
  readonly stamp: number;
}

export function feedEventHead(
  feed: PublishedFeed,
  { id, day, part, stamp }: FeedEvent,
  namespace: string,
): EventHead {
  const title = `${feed.name}: command-and-control servers reported on ${day}`;
  return {
    uuid: id,
    info: oneLine(part === 1 ? title : `${title}, part ${part}`),
    date: day,
    timestamp: stamp,
    organisation: organisationOf(feed, namespace),
  };
}
