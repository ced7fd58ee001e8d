import { z } from 'zod';
import { c2Address, hex, list } from './schemas.ts';

const hasMore = z.boolean().meta({ description: 'Whether there are more, or may be' });

const file = z.strictObject({
  sha256Hash: hex(64),
  fileName: z.string(),
  c2s: list(
    z.strictObject({
      c2: c2Address,
      family: z.string().nullable().meta({
        description: 'The family of the settings that name it, else that of the file',
      }),
    }),
  ).meta({
    description:
      'The C2s of the same settings, at most 20: first those of the address itself, then the others',
  }),
  hasMoreC2s: hasMore,
});

export const related = z
  .strictObject({
    c2: c2Address.optional().meta({ description: 'Absent if only a host was given' }),
    host: z.string().meta({ description: 'In its canonical form' }),
    files: z
      .strictObject({
        newest: list(file).meta({ description: 'At most 20, newest first' }),
        hasMore,
      })
      .meta({ id: 'RelatedFiles', description: 'The files whose settings name the address' }),
    sameHost: z
      .strictObject({
        c2s: list(c2Address).meta({
          description: 'At most 20, by port, in reports and in settings, without the C2 itself',
        }),
        hasMore,
      })
      .meta({ id: 'C2sOfHost', description: 'The C2s of the host' }),
    below: z
      .strictObject({
        hosts: list(z.string()).meta({
          description: 'At most 20, in reports and in settings; none of an IP address',
        }),
        hasMore,
      })
      .meta({ id: 'NamesBelowHost', description: 'The DNS names below the host' }),
    successful: z.literal(true),
  })
  .meta({ id: 'RelatedToAddress', description: 'What belongs to a C2 or a host' });
