import { z } from 'zod';
import { PROOF_METHODS } from '../../domain/ownership/claim.ts';
import { field, strictObject } from './field-rules.ts';

/** A pattern has at most 253 characters. Longer texts are none that a service declares. */
const MAX_PATTERN_LENGTH = 300;

export const ownershipCheckBody = strictObject({
  pattern: field(
    'a host that the service declares, as it was declared',
    z.string().min(1).max(MAX_PATTERN_LENGTH),
    { example: '*.ply.example' },
  ),
  method: field(`one of ${PROOF_METHODS.join(', ')}`, z.enum(PROOF_METHODS), {
    details:
      '"dns" asks for the TXT record at `_rapsheet.<host>`, "http" for the file `https://<host>/.well-known/rapsheet`',
  }),
});
