import { z } from 'zod';
import { c2Address, hex, uuid } from './schemas.ts';

const c2Rejected = z.literal(true).optional().meta({
  description:
    'Present if the desk of the feed has rejected this C2 as a false positive: the report gives no indicator of it',
});

/** A line of the response to a batch. */
const batchLine = z
  .strictObject({
    line: z.int().min(1).meta({ description: 'The number of the line in the body, from 1' }),
    id: uuid
      .optional()
      .meta({ description: 'The id of the report; absent if the line was refused' }),
    replayed: z.literal(true).optional().meta({
      description:
        'Present if the `Idempotency-Key` was used before and no second report was created',
    }),
    c2Rejected,
    error: z.string().optional().meta({ description: 'Why the line was refused' }),
    code: z.string().optional().meta({ description: 'The stable code of the error' }),
    successful: z.boolean(),
  })
  .meta({ id: 'BatchLine', description: 'The result of one line of a batch' });

export const batchResults = {
  description: 'The result of each line, in order; one JSON object per line',
  // The handler sends a stream of lines.
  content: { 'application/x-ndjson': { schema: batchLine as z.ZodType<unknown> } },
};

/** A line of the response to a MISP event. */
const eventLine = z
  .strictObject({
    line: z.int().min(1).meta({ description: 'The number of the report in the event, from 1' }),
    c2Address: c2Address.meta({ description: 'The C2 of the report, as "<host>:<port>"' }),
    file256Hash: hex(64).meta({ description: 'The SHA-256 of the file of the report' }),
    id: uuid
      .optional()
      .meta({ description: 'The id of the report; absent if the report was refused' }),
    replayed: z.literal(true).optional().meta({
      description:
        'Present if the same attributes were sent before and no second report was created',
    }),
    c2Rejected,
    error: z.string().optional().meta({ description: 'Why the report was refused' }),
    code: z.string().optional().meta({ description: 'The stable code of the error' }),
    successful: z.boolean(),
  })
  .meta({ id: 'EventLine', description: 'The result of one report of a MISP event' });

export const eventResults = {
  description: 'The result of each report, in order; one JSON object per line',
  // The handler sends a stream of lines.
  content: { 'application/x-ndjson': { schema: eventLine as z.ZodType<unknown> } },
};
