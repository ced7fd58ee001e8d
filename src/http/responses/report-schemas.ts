import { z } from 'zod';
import { CONFIRMATIONS } from '../../domain/reports/confirmation.ts';
import { DESK_STATUSES } from '../../domain/reports/desk.ts';
import { CURSOR, HTTP_URL, REPORT_TIME } from '../openapi/text-formats.ts';
import { knownAs } from './list-schemas.ts';
import { c2Address, feed, hex, list, nextCursor, slug, utc, uuid } from './schemas.ts';

export const REPORT_STATUSES = [...DESK_STATUSES, 'expired'] as const;

const report = z
  .strictObject({
    id: uuid,
    name: z
      .string()
      .meta({ description: 'The family that our analysis of the file found, else the first tag' }),
    tags: list(z.string()),
    c2Address,
    reportedAt: z.string().meta({
      description: 'UTC, YYYY-MM-DD HH:MM:SS',
      examples: ['2026-08-26 10:00:00'],
      ...REPORT_TIME,
    }),
    reportedBy: z.string(),
    file256Hash: hex(64),
    firstSeenID: uuid.meta({
      description: 'The oldest report of this C2 in this feed when this one was created',
    }),
    referenceLink: z.string().meta(HTTP_URL),
    confidenceScore: z.int().min(0).max(100),
  })
  .meta({ id: 'Report', description: 'A report in a feed' });

export const reportCreated = z
  .strictObject({ id: uuid, successful: z.literal(true) })
  .meta({ id: 'CreatedReport', description: 'The report is in the feed' });
export const reportFetched = z
  .strictObject({ report, successful: z.literal(true) })
  .meta({ id: 'FetchedReport', description: 'The report' });
export const reportDeleted = z
  .strictObject({ message: z.string(), success: z.literal(true) })
  .meta({
    id: 'DeletedReport',
    description: 'The report is deleted. The flag is named `success` here.',
  });

export const extended = z
  .strictObject({
    ...report.shape,
    service: slug,
    sequence: z.int().min(1).meta({ description: 'The number of its last change in the feed' }),
    status: z.enum(REPORT_STATUSES),
    statusReason: z.string().nullable().meta({ description: 'Why the desk set this status' }),
    statusNote: z
      .string()
      .optional()
      .meta({ description: 'A note of the desk to the reporter; absent if there is none' }),
    statusBy: z.string().optional().meta({
      description:
        'The account that set the status; only for owners of the feed and the reporter; absent if the report expired',
    }),
    updatedAt: utc.meta({ description: 'When it last changed, YYYY-MM-DDTHH:MM:SSZ' }),
    expiresAt: utc.meta({
      description: 'When it expires unless its C2 is reported again, YYYY-MM-DDTHH:MM:SSZ',
    }),
    corroboration: z.int().min(0).meta({
      description:
        'How many other accounts reported the same C2 in this feed, as of its last change',
    }),
    sightings: z.int().min(1).meta({
      description:
        'How many reports of the same C2 are in this feed, including this one, as of its last change',
    }),
    recurrence: z.boolean().meta({
      description:
        'Whether an earlier report of this C2 had been actioned when this one was created',
    }),
    confirmation: z.enum(CONFIRMATIONS).meta({
      description:
        'Whether the settings in the file or its members name this C2, host and port. `contradicted`: they name only others of the same kind (DNS names or IP addresses) and no dead drop; `unknown`: anything else, including a file without an analysis of ours.',
    }),
    misrouted: z
      .boolean()
      .meta({ description: 'Whether another service than that of this feed answers for the C2' }),
    routedTo: slug.nullable().meta({
      description: 'The service that answers for the C2 by its declared hosts; null if none does',
    }),
    knownAs: knownAs.meta({
      description:
        'The lists that have the host of the C2 or the file now; empty if none has. What is `good` or a `sinkhole` is in no block list and no indicator.',
    }),
  })
  .meta({ id: 'ExtendedReport', description: 'A report with its status' });

export const statusSet = z
  .strictObject({ report: extended, successful: z.literal(true) })
  .meta({ id: 'ChangedReport', description: 'The report with its new status' });

const examined = z
  .strictObject({
    ...extended.shape,
    c2Rejected: z.boolean().meta({
      description:
        'Whether the desk has rejected this C2 as a false positive, with this report or another one: then no report of it gives an indicator of the C2',
    }),
    evidence: z
      .strictObject({
        family: z.string().nullable(),
        c2s: list(c2Address).meta({ description: 'The addresses that confirm the report' }),
      })
      .nullable()
      .meta({ description: 'What confirms the report; null unless it is confirmed' }),
  })
  .meta({
    id: 'ExaminedReport',
    description: 'A report with its status, compared with the analysis of its file',
  });

export const reportShown = z
  .strictObject({ report: examined, successful: z.literal(true) })
  .meta({ id: 'ShownReport', description: 'The report with its status and its evidence' });

const previewed = z
  .strictObject({
    ...report.omit({ id: true, reportedAt: true }).shape,
    firstSeenID: uuid.nullable().meta({
      description: 'The oldest report of this C2 in this feed; null if this would be the first',
    }),
    expiresAt: extended.shape.expiresAt,
    corroboration: extended.shape.corroboration,
    sightings: extended.shape.sightings,
    recurrence: extended.shape.recurrence,
    confirmation: extended.shape.confirmation,
  })
  .meta({ id: 'PreviewedReport', description: 'A report as a create would store it now' });

export const reportPreviewed = z
  .strictObject({
    report: previewed.nullable().meta({ description: 'null if a create would be refused' }),
    problems: list(
      z.strictObject({
        field: z.string().meta({ description: 'A member of the body' }),
        error: z.string().meta({ description: 'What the create would say of it' }),
      }),
    ).meta({ description: 'Empty if a create would be accepted' }),
    ownReports: z
      .int()
      .min(0)
      .meta({ description: 'How many reports of this C2 the account has in this feed already' }),
    c2Rejected: z.boolean().meta({
      description:
        'Whether the desk has rejected this C2 as a false positive: then the report would give no indicator of it',
    }),
    service: slug.nullable().meta({
      description: 'The service that answers for the host; the report may belong there',
    }),
    feed,
    pattern: z.string().nullable().meta({
      description: 'The most specific declared host or network that matches it',
    }),
    verified: z
      .boolean()
      .meta({ description: 'Whether that service has proven that it owns the pattern' }),
    knownAs: knownAs.meta({
      description:
        'The lists that have the host or the file. Ask the reporter to confirm a report of what is `good`.',
    }),
    successful: z.literal(true),
  })
  .meta({ id: 'ReportPreview', description: 'What a create would store; nothing is stored' });

export const reportHistory = z
  .strictObject({
    history: list(
      z.strictObject({
        at: utc,
        type: z.enum(['created', 'updated']),
        sequence: z.int().min(1).meta({ description: 'The number of the change in the feed' }),
        status: z.enum(REPORT_STATUSES).optional().meta({
          description:
            'The status that was set; absent for the creation, and for the last change if it was another one, such as a new name or a renewed expiry',
        }),
        reason: z.string().nullable().optional().meta({ description: 'Only with a status' }),
        note: z.string().optional().meta({ description: 'A note of the desk to the reporter' }),
        by: z.string().optional().meta({
          description:
            'The account. Of a status only for owners of the feed and the reporter; absent if the report expired',
        }),
        inferred: z.literal(true).optional().meta({
          description:
            'The status was set before statuses were recorded: time and number are those of the last change',
        }),
      }),
    ).meta({ description: 'Oldest first' }),
    hasMore: z
      .boolean()
      .meta({ description: 'Whether statuses before the newest 500 were left out' }),
    successful: z.literal(true),
  })
  .meta({ id: 'ReportHistory', description: 'What happened to a report' });

export const reportPage = z
  .strictObject({
    reports: list(extended),
    nextCursor,
    hasMore: z.boolean(),
    total: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'How many reports match, on all pages; only with `count=true`' }),
    totalIsLowerBound: z
      .literal(true)
      .optional()
      .meta({ description: 'Present if counting stopped before all reports were checked' }),
    successful: z.literal(true),
  })
  .meta({ id: 'ReportPage', description: 'Reports in order of creation' });

const changeFields = {
  sequence: z.int().min(1).meta({ description: 'Its number in the feed; there are no gaps' }),
  type: z.enum(['created', 'updated', 'deleted']),
  id: uuid.meta({ description: 'The id of the report' }),
  report: extended.optional().meta({
    description: 'Its current state; absent if it has been deleted since',
  }),
  deletedAt: utc.optional().meta({ description: 'When it was deleted; only for deletions' }),
  deletedBy: z.string().optional().meta({
    description:
      'Who deleted it; only for deletions, and only for owners of the feed and the reporter',
  }),
};

const change = z
  .strictObject(changeFields)
  .meta({ id: 'Change', description: 'A change of a feed' });

const changeOfAll = z
  .strictObject({ service: slug, ...changeFields })
  .meta({ id: 'ChangeOfAll', description: 'A change of one of all feeds' });

export const changePage = z
  .strictObject({
    changes: list(change),
    next: z.int().min(0).meta({ description: 'The `since` of the next call' }),
    head: z.int().min(0).meta({ description: 'The last number of the feed' }),
    hasMore: z.boolean().meta({ description: 'Whether more changes follow' }),
    successful: z.literal(true),
  })
  .meta({ id: 'ChangePage', description: 'Changes of a feed in order of their numbers' });

export const changePageOfAll = z
  .strictObject({
    changes: list(changeOfAll),
    next: z.string().meta({ description: 'The `since` of the next call', ...CURSOR }),
    head: z
      .string()
      .meta({ description: 'The position after the last change of every feed', ...CURSOR }),
    hasMore: z.boolean().meta({ description: 'Whether more changes follow' }),
    successful: z.literal(true),
  })
  .meta({
    id: 'ChangePageOfAll',
    description: 'Changes of all feeds; those of each feed are in order of their numbers',
  });

export const statusesSet = z
  .strictObject({
    changed: z.int().min(0).meta({
      description: 'How many reports changed; those that had this status already are not counted',
    }),
    absent: list(uuid).optional().meta({
      description: 'The ids that belong to no report of this feed; absent if there are none',
    }),
    successful: z.literal(true),
  })
  .meta({ id: 'SetStatuses', description: 'The statuses are set' });

export const ticketIssued = z
  .strictObject({
    ticket: z.string().meta({ description: 'Opens the stream once, as `?ticket=`', ...CURSOR }),
    expiresAt: utc,
  })
  .meta({ id: 'StreamTicket', description: 'A ticket that opens the stream once' });

export const eventStream = {
  description:
    'Server-sent events that do not end: `event` is the type of the change, `id` the position after it, `data` a Change (over all feeds a ChangeOfAll) as JSON in one line',
  content: {
    'text/event-stream': {
      schema: z.unknown().meta({ type: 'string', contentMediaType: 'text/event-stream' }),
    },
  },
};
