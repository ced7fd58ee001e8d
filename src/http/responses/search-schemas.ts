import { z } from 'zod';
import { SEARCH_MATCHES } from '../../domain/search-query.ts';
import { extended } from './report-schemas.ts';
import { tag } from './sample-schemas.ts';
import { hex, list } from './schemas.ts';

const match = z.enum(SEARCH_MATCHES).meta({
  description:
    'What matches: a hash, the whole C2, its host, a name (of a report, a family or a file), a tag, the reporter; ' +
    'partial matches: the start of a hash, an address in the network, a subdomain of the host, words of the text',
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
    tags: list(tag).meta({ description: 'The five tags with the highest heat' }),
  })
  .meta({ id: 'SampleFound', description: 'A file that a search found' });

const results = list(z.union([foundReport, foundSample]));

const hasMore = z.boolean().meta({
  description:
    'Whether there are more results, or may be: the limit or a bound of the search was reached',
});

export const found = z
  .strictObject({
    results,
    hasMore,
    successful: z.literal(true),
  })
  .meta({
    id: 'SearchResults',
    description: 'Exact matches first, then partial ones, each newest first',
  });

const answer = z
  .strictObject({
    query: z.string().meta({ description: 'The line as it was sent' }),
    results,
    hasMore,
    error: z
      .string()
      .optional()
      .meta({ description: 'Only if the line is no hash, address, host or network' }),
  })
  .meta({ id: 'SearchListAnswer', description: 'The results of one line of a list' });

export const listFound = z
  .strictObject({ answers: list(answer), successful: z.literal(true) })
  .meta({ id: 'SearchListAnswers', description: 'One answer for each line, in their order' });
