import { z } from 'zod';
import { MAX_SEARCH_LENGTH, parseSearchInput } from '../../domain/search-query.ts';
import { DEFAULT_SEARCH_HITS, MAX_SEARCH_HITS } from '../../operations/search.ts';
import { visible } from '../openapi/text-formats.ts';
import { field, integerText, parsed } from './field-rules.ts';

export const searchQuery = z.object({
  q: field(
    `a text of 1 to ${MAX_SEARCH_LENGTH} visible characters, given once`,
    parsed(parseSearchInput, visible(MAX_SEARCH_LENGTH)),
    {
      details:
        'A hash of any kind, `<host>:<port>`, a host, `*.<host>` for its subdomains, a tag, a family, ' +
        'the name of an account, or words of names. Defanged forms are accepted',
      example: 'evil[.]example:4444',
    },
  ),
  limit: field(
    `an integer from 1 to ${MAX_SEARCH_HITS}`,
    integerText(1, MAX_SEARCH_HITS).optional(),
    {
      details: `${DEFAULT_SEARCH_HITS} by default`,
    },
  ),
});
