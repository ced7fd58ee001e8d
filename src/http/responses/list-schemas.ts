import { z } from 'zod';
import { LIST_KINDS } from '../../domain/lists/list-kind.ts';
import { list } from './schemas.ts';

const listKind = z.enum(LIST_KINDS).meta({
  description:
    '`good`: somebody innocent; `sinkhole`: defenders answer there; `shared`: one of many users may be malicious; `scanner`: scans the Internet. The first two are no indicators.',
});

export const knownAs = list(
  z
    .strictObject({
      list: z.string().meta({ description: 'The name of the list' }),
      kind: listKind,
    })
    .meta({ id: 'KnownAs', description: 'A list that has a host or a file' }),
);
