import { z } from 'zod';
import { MAX_SEARCH_LENGTH, parseSought, SEARCH_MATCHES } from '../../domain/search-query.ts';
import { DEFAULT_FOUND, MOST_FOUND } from '../../operations/search.ts';
import type { SearchHit } from '../../ports/search-store.ts';
import { parsed, ruled } from '../requests/field-rules.ts';
import { wholeNumber } from '../requests/parameters.ts';
import { extended } from './feed-schemas.ts';
import { presentExtended } from './present.ts';
import { hex, list, tag } from './schemas.ts';

/** What a search is asked, and what it answers. */

export const searchQuery = z.object({
  q: ruled(
    `a text of 1 to ${MAX_SEARCH_LENGTH} visible characters, given once`,
    parsed(parseSought),
    {
      also:
        'A hash of any kind, `<host>:<port>`, a host, `*.<host>` for everything below it, a tag, a family, ' +
        'the name of an account, or words of names; also defanged',
      example: 'evil[.]example:4444',
    },
  ),
  limit: ruled(`an integer from 1 to ${MOST_FOUND}`, parsed(wholeNumber(MOST_FOUND)).optional(), {
    also: `${DEFAULT_FOUND} by default`,
  }),
});

const match = z.enum(SEARCH_MATCHES).meta({
  description:
    'What fits: a hash, the whole C2, its host, a name (of a report, a family or a file), a tag, the reporter; ' +
    'in part: a host below the one that was asked for, words of the text',
});

const foundReport = z
  .strictObject({ type: z.literal('report'), match, report: extended })
  .meta({ id: 'ReportFound', description: 'A report that a search found' });

const foundSample = z
  .strictObject({
    type: z.literal('sample'),
    match,
    sha256Hash: hex(64),
    fileName: z.string(),
    tags: list(tag).meta({ description: 'The hottest, at most five' }),
  })
  .meta({ id: 'SampleFound', description: 'A file that a search found' });

export const found = z
  .strictObject({
    results: list(z.union([foundReport, foundSample])),
    successful: z.literal(true),
  })
  .meta({
    id: 'SearchResults',
    description: 'Exact matches first, then partial ones, each newest first',
  });

export function presentHit(hit: SearchHit) {
  const { match } = hit;
  if (hit.kind === 'report') {
    return { type: 'report' as const, match, report: presentExtended(hit.report) };
  }
  const { sha256, fileName, tags } = hit;
  return {
    type: 'sample' as const,
    match,
    sha256Hash: sha256,
    fileName,
    tags: tags.map(({ heat, name }) => ({ heat, name })),
  };
}
