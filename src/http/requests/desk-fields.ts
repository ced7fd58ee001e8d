import { z } from 'zod';
import {
  DESK_REASONS,
  DESK_STATUSES,
  MAX_NOTE_LENGTH,
  reasonProblem,
} from '../../domain/reports/desk.ts';
import { isVisible } from '../../domain/reports/report.ts';
import { parseUuid } from '../../domain/uuid.ts';
import { multiline, UUID } from '../openapi/text-formats.ts';
import { listOf } from './bounded-list.ts';
import { filterBody } from './feed-query.ts';
import { field, parsed, strictObject } from './field-rules.ts';

/** The bodies with which an abuse desk sets the status of reports. */

const MAX_IDS = 10_000;

/** A note may have several lines, but no invisible characters. */
function isNote(text: string): boolean {
  const lines = text.split(/[\r\n]+/).filter((line) => line !== '');
  return text.trim() !== '' && lines.every((line) => line.trim() === '' || isVisible(line));
}

export function noteField(details: string) {
  return field(
    `a text of 1 to ${MAX_NOTE_LENGTH} visible characters`,
    z.string().max(MAX_NOTE_LENGTH).refine(isNote).meta(multiline(MAX_NOTE_LENGTH)).optional(),
    { details },
  );
}

const REASONS = [...DESK_REASONS.actioned, ...DESK_REASONS.rejected];
/** Checked with the status, whose error text names the words. */
const reason = z.string().meta({ pattern: `^(?:${REASONS.join('|')})$` });

/** Which reasons go with which status, in the document. */
const REASON_OF_STATUS = {
  oneOf: [
    {
      properties: { status: { enum: ['open', 'acknowledged'] } },
      not: { required: ['reason'] },
    },
    ...(['actioned', 'rejected'] as const).map((status) => ({
      properties: { status: { const: status }, reason: { enum: DESK_REASONS[status] } },
    })),
  ],
};

const statusFields = {
  status: field(`one of ${DESK_STATUSES.join(', ')}`, z.enum(DESK_STATUSES)),
  reason: field('a word that goes with the status', reason.optional(), {
    details: `For actioned ${DESK_REASONS.actioned.join(', ')}; for rejected ${DESK_REASONS.rejected.join(', ')}`,
    example: 'taken_down',
  }),
  note: noteField('A note to the reporter'),
};

type StatusFields = z.output<ReturnType<typeof strictObject<typeof statusFields>>>;

function checkReason({ value, issues }: z.core.ParsePayload<StatusFields>): void {
  const message = reasonProblem(value.status, value.reason);
  if (message !== undefined) issues.push({ code: 'custom', input: value, message });
}

export const statusBody = strictObject(statusFields).check(checkReason).meta(REASON_OF_STATUS);

export const statusesBody = strictObject({
  ids: field(
    `a list of 1 to ${MAX_IDS} ids of reports (UUIDs)`,
    listOf(parsed(parseUuid, UUID), { min: 1, max: MAX_IDS }).optional(),
  ),
  filter: filterBody.optional(),
  ...statusFields,
})
  .check(checkReason)
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
    error: 'Either ids or filter must be present, but not both.',
  })
  .meta({
    allOf: [{ oneOf: [{ required: ['ids'] }, { required: ['filter'] }] }, REASON_OF_STATUS],
  });
