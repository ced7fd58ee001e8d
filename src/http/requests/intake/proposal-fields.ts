import { z } from 'zod';
import { invalid } from '../../../domain/problem.ts';
import { DISMISSAL_REASONS, PROPOSAL_STATES } from '../../../domain/proposals/proposal.ts';
import { parseSha256 } from '../../../domain/samples/file-hash.ts';
import { DEFAULT_CONFIDENCE_SCALE } from '../../../domain/services/service.ts';
import type { ProposalDraft } from '../../../operations/proposals/report-proposal.ts';
import { SHA256 } from '../../openapi/text-formats.ts';
import { noteField } from '../desk-fields.ts';
import { cursorQuery } from '../feed-query.ts';
import {
  compileValidator,
  field,
  parsed,
  skipValidation,
  strictObject,
  validate,
} from '../field-rules.ts';
import { confidenceField, referenceField, tagsField } from '../report-fields.ts';

export const proposalsQuery = strictObject({
  ...cursorQuery.shape,
  state: field(`one of ${PROPOSAL_STATES.join(', ')}`, z.enum(PROPOSAL_STATES).optional(), {
    details: 'All states by default',
  }),
  hash: field('a SHA-256 of 64 hexadecimal digits', parsed(parseSha256, SHA256).optional(), {
    details: 'The hash of the uploaded file',
  }),
});

/** The confidence is limited by the scale of the service, which the proposal names. */
export function reportProposalBody(scale: number = DEFAULT_CONFIDENCE_SCALE) {
  return strictObject({
    tags: tagsField('Those of the proposal by default'),
    confidenceScore: confidenceField(scale, 'That of the proposal by default'),
    referenceLink: referenceField,
  });
}

/** The body is validated with the scale of the service. */
export function compileProposalValidator(part: Parameters<typeof compileValidator>[0]) {
  return part.httpPart === 'body' ? skipValidation() : compileValidator(part);
}

export function readProposalDraft(body: unknown, scale: number): ProposalDraft {
  const checked = validate(reportProposalBody(scale), body ?? {});
  if ('problems' in checked) throw invalid('invalid_body', checked.problems);
  const { tags, confidenceScore: confidence, referenceLink: reference } = checked.value;
  return {
    ...(tags !== undefined && { tags }),
    ...(confidence !== undefined && { confidence }),
    ...(reference !== undefined && { reference }),
  };
}

export const dismissBody = strictObject({
  reason: field(`one of ${DISMISSAL_REASONS.join(', ')}`, z.enum(DISMISSAL_REASONS)),
  note: noteField('A note to yourself'),
});
