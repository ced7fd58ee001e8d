import { z } from 'zod';
import {
  DESK_REASONS,
  DESK_STATUSES,
  MAX_NOTE_LENGTH,
  reasonProblem,
} from '../../domain/reports/desk.ts';
import { isVisible } from '../../domain/reports/report.ts';
import { parseUuid } from '../../domain/uuid.ts';
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
    z.string().max(MAX_NOTE_LENGTH).refine(isNote).optional(),
    { details },
  );
}

const statusFields = {
  status: field(`one of ${DESK_STATUSES.join(', ')}`, z.enum(DESK_STATUSES)),
  reason: field('a word that goes with the status', z.string().optional(), {
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

export const statusBody = strictObject(statusFields).check(checkReason);

export const statusesBody = strictObject({
  ids: field(
    `a list of 1 to ${MAX_IDS} ids of reports (UUIDs)`,
    z.array(parsed(parseUuid)).min(1).max(MAX_IDS).optional(),
  ),
  filter: filterBody.optional(),
  ...statusFields,
})
  .check(checkReason)
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
    error: 'Either ids or filter must be present, but not both.',
  });
