import type { presentToken } from '../../http/responses/present.ts';
import { table } from './table.ts';

export function tokenTable(tokens: readonly ReturnType<typeof presentToken>[]): string {
  return table(
    ['ID', 'HINT', 'LABEL', 'CREATED', 'EXPIRES', 'LAST USED', 'REVOKED', 'ISSUED BY'],
    tokens.map(({ id, hint, label, createdAt, expiresAt, lastUsedAt, revokedAt, issuedBy }) => [
      id,
      hint,
      label,
      createdAt,
      expiresAt ?? '',
      lastUsedAt ?? '',
      revokedAt ?? '',
      issuedBy ?? '',
    ]),
  );
}
