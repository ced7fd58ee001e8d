import type { presentToken } from '../../http/responses/present.ts';
import type { CommandInput } from '../command.ts';
import { type Columns, tableOf } from './list.ts';

type PresentedToken = ReturnType<typeof presentToken>;

export const tokenColumns: Columns<PresentedToken> = [
  { name: 'id', title: 'ID', value: ({ id }) => id },
  { name: 'hint', title: 'HINT', value: ({ hint }) => hint },
  { name: 'label', title: 'LABEL', flexible: true, value: ({ label }) => label },
  { name: 'created_at', title: 'CREATED', value: ({ createdAt }) => createdAt },
  { name: 'expires_at', title: 'EXPIRES', value: ({ expiresAt }) => expiresAt },
  { name: 'last_used_at', title: 'LAST USED', value: ({ lastUsedAt }) => lastUsedAt },
  { name: 'revoked_at', title: 'REVOKED', value: ({ revokedAt }) => revokedAt },
  { name: 'issued_by', title: 'ISSUED BY', value: ({ issuedBy }) => issuedBy },
  { name: 'issued_via', title: 'ISSUED', value: ({ issuedVia }) => issuedVia },
];

export function tokenTable(tokens: readonly PresentedToken[]): string {
  return tableOf(tokenColumns, tokens);
}

/** Only the token goes to standard output, so that a script can use it. */
export function printIssuedToken(input: CommandInput, text: string, token: PresentedToken): void {
  if (!input.json) input.printMessage(`${tokenTable([token])}\n\nThe token, shown only once:`);
  input.print({ token: text, ...token }, text);
}
