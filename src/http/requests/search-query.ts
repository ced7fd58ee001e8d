import { z } from 'zod';
import { MAX_SEARCH_LENGTH, MIN_HASH_PREFIX, parseSearchInput } from '../../domain/search-query.ts';
import {
  DEFAULT_LISTED_HITS,
  DEFAULT_SEARCH_HITS,
  MAX_LISTED_HITS,
  MAX_LISTED_SEARCHES,
  MAX_SEARCH_HITS,
} from '../../operations/search.ts';
import { visible } from '../openapi/text-formats.ts';
import { listOf } from './bounded-list.ts';
import { field, integerText, parsed, strictObject } from './field-rules.ts';

export const searchQuery = z.object({
  q: field(
    `a text of 1 to ${MAX_SEARCH_LENGTH} visible characters, given once`,
    parsed(parseSearchInput, visible(MAX_SEARCH_LENGTH)),
    {
      details:
        `A hash of any kind, its first digits (at least ${MIN_HASH_PREFIX}) or its shortened form \`0123abcd…4567cdef\`, ` +
        '`<host>:<port>`, a host, `*.<host>` for its subdomains, a network such as `192.0.2.0/24`, a tag, a family, ' +
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

export const searchListBody = strictObject({
  queries: field(
    `a list of 1 to ${MAX_LISTED_SEARCHES} texts`,
    listOf(z.string(), { min: 1, max: MAX_LISTED_SEARCHES }),
    {
      details: `Each of 1 to ${MAX_SEARCH_LENGTH} characters. Defanged forms are accepted`,
      example: ['275a021bbfb6489e', 'hxxp://evil[.]example:4444', '192.0.2.0/24'],
    },
  ),
  limit: field(
    `an integer from 1 to ${MAX_LISTED_HITS}`,
    z.int().min(1).max(MAX_LISTED_HITS).optional(),
    { details: `The results of each line; ${DEFAULT_LISTED_HITS} by default` },
  ),
});
