import { z } from 'zod';
import { SLUG, STIX_ID, UUID } from '../openapi/text-formats.ts';

const timestamp = z.string().meta({ examples: ['2026-08-26T10:00:00.000Z'], format: 'date-time' });

export const discovery = z
  .object({
    title: z.string(),
    description: z.string(),
    default: z.string().meta({ description: 'One of the API roots' }),
    api_roots: z.array(z.string()).meta({ description: 'Relative to the URL of this server' }),
  })
  .meta({ id: 'TaxiiDiscovery', description: 'The API roots of this server' });

export const apiRoot = z
  .object({
    title: z.string(),
    description: z.string(),
    versions: z.array(z.string()).meta({ description: 'Media types' }),
    max_content_length: z.int().min(1),
  })
  .meta({ id: 'TaxiiApiRoot', description: 'The API root' });

export const collection = z
  .object({
    id: z.string().meta({ format: 'uuid', description: 'Never changes' }),
    title: z.string().meta({ description: 'The slug of the service, or `all`; unique' }),
    description: z.string(),
    alias: z.string().meta({ description: 'Works in URLs instead of the id' }),
    can_read: z.boolean(),
    can_write: z.boolean().meta({ description: 'Whether this account may add objects' }),
    media_types: z.array(z.string()),
  })
  .meta({ id: 'TaxiiCollection', description: 'A collection' });

export const collections = z
  .object({ collections: z.array(collection).optional() })
  .meta({ id: 'TaxiiCollections', description: 'The collections of this API root' });

const paged = {
  more: z.boolean().meta({ description: 'Whether there is a next page' }),
  next: z.string().optional().meta({ description: 'Present exactly if `more` is true' }),
};

const stixObject = z
  .looseObject({ type: z.string(), id: z.string(), spec_version: z.string() })
  .meta({ id: 'StixObject', description: 'An object of STIX 2.1' });

export const envelope = z
  .object({ ...paged, objects: z.array(stixObject).optional() })
  .meta({ id: 'TaxiiEnvelope', description: 'Objects, in the order in which they were added' });

export const manifest = z
  .object({
    ...paged,
    objects: z
      .array(
        z.object({
          id: z.string(),
          date_added: timestamp,
          version: timestamp,
          media_type: z.string(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'TaxiiManifest', description: 'When objects were added, without the objects' });

export const versions = z
  .object({ ...paged, versions: z.array(timestamp).optional() })
  .meta({ id: 'TaxiiVersions', description: 'The versions of an object; only the newest is kept' });

const statusDetails = {
  id: z.string().meta({ description: 'As submitted' }),
  version: timestamp,
  message: z.string().optional(),
};
const success = z.object({
  ...statusDetails,
  x_rapsheet_ids: z.array(z.string()).optional().meta({
    description:
      'Of an indicator: the ids under which the collection has it, one for the C2 and one for the file of each of its reports. They are to be used for reading and deleting it',
  }),
});
const failure = z.object(statusDetails);

export const status = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    status: z.enum(['complete', 'pending']),
    request_timestamp: timestamp,
    total_count: z.int().min(0),
    success_count: z.int().min(0),
    successes: z.array(success).optional(),
    failure_count: z.int().min(0),
    failures: z.array(failure).optional(),
    pending_count: z.int().min(0),
  })
  .meta({ id: 'TaxiiStatus', description: 'What became of the objects of a submission' });

export const deleted = z.string().meta({ description: 'Empty' });

const taxiiFailure = z
  .object({
    title: z.string(),
    description: z.string().meta({ description: 'What was wrong, and what is expected' }),
    error_id: z.string().meta({ description: 'As in `X-Request-Id`' }),
    error_code: z.string().meta({ description: 'As in `X-Error-Code`' }),
    http_status: z.string(),
  })
  .meta({ id: 'TaxiiError', description: 'An error in the form of TAXII' });

/** The error responses of a TAXII route. */
export function taxiiRefusals(...statuses: number[]): Record<number, typeof taxiiFailure> {
  const all = [401, 403, 406, 429, 500, 503, ...statuses];
  return Object.fromEntries(all.map((one) => [one, taxiiFailure]));
}

export const collectionParams = z.object({
  collection: z.string().meta({
    description: 'The id of a collection, or its alias',
    type: 'string',
    anyOf: [UUID, SLUG],
    examples: ['ply'],
  }),
});

export const objectParams = collectionParams.extend({
  object: z.string().meta({
    description: 'The id of a STIX object',
    ...STIX_ID,
  }),
});

export const statusParams = z.object({ status: z.string().meta({ format: 'uuid' }) });
