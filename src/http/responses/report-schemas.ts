import { z } from 'zod';
import { DESK_STATUSES } from '../../domain/reports/desk.ts';
import { hex, list, utc, uuid } from './schemas.ts';

export const REPORT_STATUSES = [...DESK_STATUSES, 'expired'] as const;

const report = z
  .strictObject({
    id: uuid,
    name: z
      .string()
      .meta({ description: 'The family that our analysis of the file found, else the first tag' }),
    tags: list(z.string()),
    c2Address: z.string().meta({ description: '<host>:<port>' }),
    reportedAt: z
      .string()
      .meta({ description: 'UTC, YYYY-MM-DD HH:MM:SS', examples: ['2026-08-26 10:00:00'] }),
    reportedBy: z.string(),
    file256Hash: hex(64),
    firstSeenID: uuid.meta({
      description: 'The oldest report of this C2 in this feed when this one was made',
    }),
    referenceLink: z.string(),
    confidenceScore: z.int(),
  })
  .meta({ id: 'Report', description: 'A report as it stands in its feed' });

export const reportCreated = z
  .strictObject({ id: uuid, successful: z.literal(true) })
  .meta({ id: 'CreatedReport', description: 'The report is in the feed' });
export const reportFetched = z
  .strictObject({ report, successful: z.literal(true) })
  .meta({ id: 'FetchedReport', description: 'The report' });
export const reportDeleted = z
  .strictObject({ message: z.string(), success: z.literal(true) })
  .meta({ id: 'DeletedReport', description: 'It is deleted. The flag is named `success` here.' });

export const extended = z
  .strictObject({
    ...report.shape,
    service: z.string(),
    sequence: z.int().meta({ description: 'The number of its last change in its feed' }),
    status: z.enum(REPORT_STATUSES),
    statusReason: z.string().nullable().meta({ description: 'Why the desk set that status' }),
    statusNote: z
      .string()
      .optional()
      .meta({ description: 'What the desk says to the reporter; absent where it said nothing' }),
    statusBy: z.string().optional().meta({
      description:
        'The account that set the status; only for owners of the feed and the reporter, and absent where time set it',
    }),
    updatedAt: utc.meta({ description: 'When it last changed, YYYY-MM-DDTHH:MM:SSZ' }),
    expiresAt: utc.meta({
      description: 'When it expires unless its C2 is reported again, YYYY-MM-DDTHH:MM:SSZ',
    }),
    corroboration: z.int().meta({
      description:
        'How many other accounts reported the same C2 in this feed, as of its last change',
    }),
    sightings: z.int().meta({
      description:
        'How many reports of the same C2 there are in this feed, itself included, as of its last change',
    }),
    recurrence: z.boolean().meta({
      description: 'Whether an earlier report of this C2 had been acted on when it came',
    }),
  })
  .meta({ id: 'ExtendedReport', description: 'A report, and what has become of it' });

export const reportShown = z
  .strictObject({ report: extended, successful: z.literal(true) })
  .meta({ id: 'ShownReport', description: 'The report, and what has become of it' });

export const reportPage = z
  .strictObject({
    reports: list(extended),
    nextCursor: z
      .string()
      .nullable()
      .meta({ description: 'Asks for the page after this one; null where there is none' }),
    hasMore: z.boolean(),
    total: z
      .int()
      .optional()
      .meta({ description: 'How many fit, on all pages; only with `count=true`' }),
    totalIsLowerBound: z
      .literal(true)
      .optional()
      .meta({ description: 'There where counting ended before all reports were looked at' }),
    successful: z.literal(true),
  })
  .meta({ id: 'ReportPage', description: 'Reports by creation' });

const changeFields = {
  sequence: z.int().meta({ description: 'Its number in the feed; there are no gaps' }),
  type: z.enum(['created', 'updated', 'deleted']),
  id: uuid.meta({ description: 'The id of the report' }),
  report: extended.optional().meta({
    description: 'As it stands now; absent where it is gone by now, whatever the change was',
  }),
  deletedAt: utc.optional().meta({ description: 'Of a deletion: when' }),
  deletedBy: z.string().optional().meta({
    description: 'Of a deletion: by whom; only for owners of the feed and the reporter',
  }),
};

const change = z
  .strictObject(changeFields)
  .meta({ id: 'Change', description: 'One step of a feed' });

const changeOfAll = z
  .strictObject({ service: z.string(), ...changeFields })
  .meta({ id: 'ChangeOfAll', description: 'One step of one of all feeds' });

export const changePage = z
  .strictObject({
    changes: list(change),
    next: z.int().meta({ description: 'The `since` of the next call' }),
    head: z.int().meta({ description: 'The last number of the feed' }),
    hasMore: z.boolean().meta({ description: 'Whether there are changes after these already' }),
    successful: z.literal(true),
  })
  .meta({ id: 'ChangePage', description: 'Changes of a feed by number' });

export const changePageOfAll = z
  .strictObject({
    changes: list(changeOfAll),
    next: z.string().meta({ description: 'The `since` of the next call' }),
    head: z.string().meta({ description: 'The position after the last change of every feed' }),
    hasMore: z.boolean().meta({ description: 'Whether there are changes after these already' }),
    successful: z.literal(true),
  })
  .meta({ id: 'ChangePageOfAll', description: 'Changes of all feeds, in each by number' });

export const statusesSet = z
  .strictObject({
    changed: z.int().meta({ description: 'How many were not so already' }),
    absent: list(uuid)
      .optional()
      .meta({ description: 'Those of the ids that are in no report of this feed, if any' }),
    successful: z.literal(true),
  })
  .meta({ id: 'SetStatuses', description: 'The desk has answered' });

/** A line of the response to a batch. */
const batchLine = z
  .strictObject({
    line: z.int().meta({ description: 'The number of the line in the body, from 1' }),
    id: uuid.optional().meta({ description: 'Of the report; absent where it was refused' }),
    replayed: z
      .literal(true)
      .optional()
      .meta({ description: 'Where the `Idempotency-Key` was known and no second report was made' }),
    error: z.string().optional().meta({ description: 'Why the line was refused' }),
    code: z.string().optional().meta({ description: 'The stable word for that' }),
    successful: z.boolean(),
  })
  .meta({ id: 'BatchLine', description: 'What became of one line of a batch' });

export const batchTaken = {
  description: 'What became of each line, in order; one JSON object a line',
  // The handler sends a stream of lines.
  content: { 'application/x-ndjson': { schema: batchLine as z.ZodType<unknown> } },
};

export const ticketIssued = z
  .strictObject({
    ticket: z.string().meta({ description: 'Opens the stream once, as `?ticket=`' }),
    expiresAt: utc,
  })
  .meta({ id: 'StreamTicket', description: 'Leave to open the stream, once' });

export const eventStream = {
  description:
    'Server-sent events that do not end: `event` is the type of the change, `id` the position after it, `data` a Change (over all feeds a ChangeOfAll) as JSON in one line',
  content: {
    'text/event-stream': {
      schema: z.unknown().meta({ type: 'string', contentMediaType: 'text/event-stream' }),
    },
  },
};
