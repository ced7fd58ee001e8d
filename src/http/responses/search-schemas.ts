import { z } from 'zod';
import { SEARCH_MATCHES } from '../../domain/search-query.ts';
import { extended } from './report-schemas.ts';
import { tag } from './sample-schemas.ts';
import { hex, list } from './schemas.ts';

const match = z.enum(SEARCH_MATCHES).meta({
  description:
    'What matches: a hash, the whole C2, its host, a name (of a report, a family or a file), a tag, the reporter; ' +
    'partial matches: a subdomain of the host, words of the text',
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

export const found = z
  .strictObject({
    results: list(z.union([foundReport, foundSample])),
    successful: z.literal(true),
  })
  .meta({
    id: 'SearchResults',
    description: 'Exact matches first, then partial ones, each newest first',
  });
