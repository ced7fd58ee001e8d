import { z } from 'zod';
import { SIGN_IN_METHODS } from '../../domain/accounts/session.ts';
import { accountFields, tokenFields } from './account-schemas.ts';
import { list, slug, utc } from './schemas.ts';

const { disabled: _, services: __, ...shownFields } = accountFields;
const { id, label, hint, expiresAt, lastUsedAt } = tokenFields;

export const me = z
  .strictObject({
    ...shownFields,
    services: list(z.strictObject({ slug, name: z.string() })).meta({
      description: 'The services whose feeds the account owns',
    }),
    session: z
      .strictObject({
        via: z.enum(SIGN_IN_METHODS),
        expiresAt: utc,
        feedPosition: z.string().meta({
          description:
            'The position in all feeds when the session was read. The stream of all feeds sends every later change after it, so what is listed from now on misses none',
        }),
      })
      .nullable()
      .meta({ description: 'The session of the cookie; null for a request with a token' }),
    token: z
      .strictObject({ id, label, hint, expiresAt, lastUsedAt })
      .nullable()
      .meta({ description: 'The token of the request; null for a request with a session' }),
    successful: z.literal(true),
  })
  .meta({ id: 'Me', description: 'The account of the request, and its token or session' });

export const sessionsEnded = z
  .strictObject({
    ended: z.int().min(0).meta({ description: 'The number of sessions' }),
    revoked: z.int().min(0).meta({ description: 'The number of tokens that were revoked' }),
    successful: z.literal(true),
  })
  .meta({ id: 'EndedSessions', description: 'The sessions have ended' });

export const linkCreated = z
  .strictObject({
    link: z.string().meta({
      description: 'Shown only once. The secret is the fragment, which browsers send to no server',
      examples: ['https://abuse.example/welcome#ral_…'],
    }),
    expiresAt: utc,
    successful: z.literal(true),
  })
  .meta({ id: 'CreatedLink', description: 'The sign-in link' });
