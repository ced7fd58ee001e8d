import { z } from 'zod';
import { DISMISSAL_REASONS, PROPOSAL_STATES } from '../../../domain/proposals/proposal.ts';
import { CONFIRMATIONS } from '../../../domain/reports/confirmation.ts';
import { c2Address, hex, list, nextCursor, slug, utc, uuid } from '../schemas.ts';

const proposal = z
  .strictObject({
    id: uuid,
    state: z.enum(PROPOSAL_STATES),
    service: slug.meta({ description: 'The service that answers for the C2, or `unclaimed`' }),
    c2Address,
    file256Hash: hex(64),
    fileName: z.string().meta({ description: 'The name under which you uploaded the file' }),
    family: z.string().nullable().meta({
      description: 'The malware family whose settings name the C2; null if it is not known',
    }),
    tags: list(z.string()),
    confidenceScore: z.int().min(0).max(100).meta({
      description: '90 % of the confidence scale of the service',
    }),
    confirmation: z.enum(CONFIRMATIONS).meta({
      description: 'As of the analysis that proposed it: the settings of the file name the C2',
    }),
    createdAt: utc,
    report: z.strictObject({ service: slug, id: uuid }).nullable().meta({
      description: 'The report that was created, which may have been deleted since',
    }),
    reason: z.enum(DISMISSAL_REASONS).nullable().meta({ description: 'Why it was dismissed' }),
    note: z.string().nullable(),
  })
  .meta({ id: 'Proposal', description: 'A report that the analysis of your upload proposes' });

export const proposalPage = z
  .strictObject({
    proposals: list(proposal),
    nextCursor,
    hasMore: z.boolean(),
    successful: z.literal(true),
  })
  .meta({ id: 'ProposalPage', description: 'Your proposals, newest first' });

export const proposalReported = z
  .strictObject({ id: uuid, service: slug, successful: z.literal(true) })
  .meta({ id: 'ReportedProposal', description: 'The report that was created' });

export const proposalDismissed = z
  .strictObject({ proposal, successful: z.literal(true) })
  .meta({ id: 'DismissedProposal', description: 'The proposal as it is now' });
