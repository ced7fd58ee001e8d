import { z } from 'zod';
import { MAX_SEARCH_LENGTH, parseSought } from '../../domain/search-query.ts';
import { DEFAULT_FOUND, MOST_FOUND } from '../../operations/search.ts';
import { parsed, ruled } from './field-rules.ts';
import { wholeNumber } from './parameters.ts';

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
