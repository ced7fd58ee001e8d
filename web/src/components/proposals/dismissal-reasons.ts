import type { DismissProposalBody } from '../../../../src/client/wire.ts';

export const REASONS: Readonly<Record<DismissProposalBody['reason'], string>> = {
  already_known: 'the service knows it already',
  not_malicious: 'it is not malicious',
  wrong_service: 'it is not of this service',
  other: 'another reason',
};
