import { z } from 'zod';
import { day, uuid } from '../schemas.ts';

const organisation = z.strictObject({ name: z.string(), uuid });
const tag = z.strictObject({ name: z.string(), colour: z.string().optional() });
const seconds = z.string().meta({ description: 'Seconds since 1970', pattern: '^[0-9]+$' });

const entry = z.strictObject({
  Orgc: organisation,
  Tag: z.array(tag),
  info: z.string(),
  date: day,
  analysis: z.string(),
  threat_level_id: z.string(),
  timestamp: seconds,
});

export const manifestSchema = z
  .record(uuid, entry)
  .meta({ id: 'MispManifest', description: 'The events by their UUIDs' });

const attribute = z.strictObject({
  uuid,
  type: z.enum(['ip-dst', 'hostname', 'port', 'sha256', 'link']),
  category: z.enum(['Network activity', 'Payload delivery', 'External analysis']),
  object_relation: z.enum(['ip-dst', 'hostname', 'dst-port', 'sha256', 'link']),
  value: z.string(),
  to_ids: z.boolean().meta({
    description:
      'Not of ports and links, of rejected or expired reports, nor of C2s with a protected host or rejected by the desk',
  }),
  comment: z.string(),
  timestamp: seconds,
  disable_correlation: z.boolean(),
  deleted: z.boolean(),
  Tag: z.array(tag).optional(),
});

const reference = z.strictObject({
  uuid,
  object_uuid: uuid,
  referenced_uuid: uuid,
  relationship_type: z.enum(['communicates-with', 'describes']),
  timestamp: seconds,
});

const object = z.strictObject({
  uuid,
  name: z.enum(['ip-port', 'file', 'report']),
  'meta-category': z.string(),
  template_uuid: uuid,
  template_version: z.string(),
  timestamp: seconds,
  deleted: z.boolean(),
  first_seen: z.string(),
  Attribute: z.array(attribute),
  ObjectReference: z.array(reference).optional(),
});

export const eventSchema = z
  .strictObject({
    Event: z.strictObject({
      uuid,
      info: z.string(),
      date: day,
      threat_level_id: z.string(),
      analysis: z.string(),
      published: z.literal(true),
      timestamp: seconds,
      publish_timestamp: seconds,
      extends_uuid: z.literal(''),
      Orgc: organisation,
      Tag: z.array(tag),
      Attribute: z.array(z.unknown()).max(0).meta({ description: 'All are in objects' }),
      Object: z.array(object),
    }),
  })
  .meta({ id: 'MispEvent', description: 'At most 5,000 reports of a UTC day' });

export const hashesSchema = {
  description: 'A line for each value: its MD5, a comma, and the UUID of the event',
  content: {
    'text/csv': {
      schema: z.unknown().meta({ type: 'string', examples: [`${'0'.repeat(32)},…`] }),
    },
  },
};
