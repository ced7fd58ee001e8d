import type { Me } from '../../client/wire.ts';
import type { Command } from '../command.ts';
import { connect, connectionOf } from '../connection.ts';
import { createRateText } from '../options/account-options.ts';
import { connectionOptions } from '../options/connection-options.ts';
import { fields } from '../output/show.ts';

/** A server of an older version does not tell about the token. */
type ShownMe = Me & {
  readonly token?: {
    readonly label: string | null;
    readonly hint: string;
    readonly expiresAt: string | null;
  } | null;
};

export const whoami: Command = {
  usage: '',
  options: connectionOptions,
  examples: [{ command: 'rapsheet whoami', description: 'See who you are, and where' }],
  async run(input) {
    const me: ShownMe = await connect(input).me();
    const { url, source, profile = null } = connectionOf(input) ?? { url: '', source: '' };
    const { successful: _, ...shown } = me;
    input.print(
      { ...shown, server: url, profile },
      fields([
        ['account', me.name],
        ['roles', me.roles.join(', ') || 'none'],
        ['owns', me.services.map(({ slug }) => slug).join(', ') || 'no feeds'],
        ['lookups', quotaText(me.quota)],
        ['reports', createRateText(me.createRate ?? null)],
        ['account expires', me.expiresAt ?? 'never'],
        ...tokenRows(me),
        ['server', url],
        ['credentials', source],
      ]),
    );
  },
};

function quotaText({ limit, remaining, period, resetsAt }: Me['quota']): string {
  if (limit === null || remaining === null) return 'unlimited';
  if (period === 'none') return `${remaining} left, prepaid`;
  const reset = resetsAt === null ? '' : `, next reset ${resetsAt}`;
  return `${remaining} left of ${limit} a ${period}${reset}`;
}

function tokenRows({ token }: ShownMe): readonly (readonly [string, string])[] {
  if (token === undefined || token === null) return [];
  return [
    ['token', token.label ? `${token.label} (${token.hint})` : token.hint],
    ['token expires', token.expiresAt ?? 'never'],
  ];
}
