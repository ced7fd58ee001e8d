import { z } from 'zod';
import { PROOF_METHODS } from '../../../domain/ownership/claim.ts';
import { list, utcOrNull } from '../schemas.ts';

const row = {
  pattern: z.string().meta({ description: 'As it was declared', examples: ['*.ply.example'] }),
  state: z.enum(['verified', 'declared']).meta({
    description: 'verified: the service has proven that it owns the host',
  }),
  method: z.enum(PROOF_METHODS).nullable().meta({
    description: 'That of the proof, or of the last check; null if it was never checked',
  }),
  verifiedAt: utcOrNull.meta({ description: 'null while it is not proven' }),
  checkedAt: utcOrNull.meta({ description: 'When the last check ended' }),
  problem: z.string().nullable().meta({
    description: 'What the last check found wrong, or why the pattern cannot be proven',
  }),
  recordName: z
    .string()
    .nullable()
    .meta({
      description: 'The name of the TXT record with the challenge; null if it cannot be proven so',
      examples: ['_rapsheet.ply.example'],
    }),
  url: z
    .string()
    .nullable()
    .meta({
      description: 'The file with the challenge as a line; null if it cannot be proven so',
      examples: ['https://ply.example/.well-known/rapsheet'],
    }),
};

const successful = z.literal(true);

const pattern = z
  .strictObject(row)
  .meta({ id: 'OwnershipPattern', description: 'A declared host or network, and its proof' });

export const ownershipShown = z
  .strictObject({
    patterns: list(pattern),
    challenge: z.string().meta({
      description: 'The text of the TXT record, or a line of the file',
      examples: ['rapsheet-verification=iJkLmNoPqRsTuVwXyZ0123456789AbCd'],
    }),
    successful,
  })
  .meta({ id: 'Ownership', description: 'What a service declares, and what of it is proven' });

export const ownershipChecked = z
  .strictObject({ ...row, successful })
  .meta({ id: 'CheckedOwnership', description: 'The pattern after the check' });
