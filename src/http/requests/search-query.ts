import { z } from 'zod';
import { MAX_SEARCH_LENGTH, parseSearchInput } from '../../domain/search-query.ts';
import { DEFAULT_FOUND, MOST_FOUND } from '../../operations/search.ts';
import { field, integerBetween, parsed } from './field-rules.ts';

export const searchQuery = z.object({
  q: field(
    `a text of 1 to ${MAX_SEARCH_LENGTH} visible characters, given once`,
    parsed(parseSearchInput),
    {
      details:
        'A hash of any kind, `<host>:<port>`, a host, `*.<host>` for its subdomains, a tag, a family, ' +
        'the name of an account, or words of names. Defanged forms are accepted',
      example: 'evil[.]example:4444',
    },
  ),
  limit: field(
    `an integer from 1 to ${MOST_FOUND}`,
    parsed(integerBetween(1, MOST_FOUND)).optional(),
    {
      details: `${DEFAULT_FOUND} by default`,
    },
  ),
});
