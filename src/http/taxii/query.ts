import { z } from 'zod';
import { invalid } from '../../domain/problem.ts';
import { type AddedAfter, parseAddedAfter } from '../../domain/taxii/timestamps.ts';
import { field, integerText, parsed } from '../requests/field-rules.ts';

const TIMESTAMP =
  '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|\\+00:00)';
const VERSION = `(?:last|first|all|${TIMESTAMP})`;

/** Empty if a client repeats that of a last page. */
const NEXT = { pattern: '^(?:[A-Za-z0-9_-]{23,})?$' };

/** Larger limits are lowered to this. */
const MAX_OBJECTS = 1000;
const DEFAULT_OBJECTS = 500;
const MAX_IDS = 100;

/** Separated by commas, none of them empty. */
function list(value: string, max?: number) {
  const pattern = `^${value}(?:,${value}){0,${max === undefined ? '' : max - 1}}$`;
  return parsed(parseList, { pattern }).optional();
}

function parseList(text: string): readonly string[] | undefined {
  const values = text.split(',');
  return values.every((value) => value !== '') ? values : undefined;
}

const versionFilters = {
  'match[version]': field(
    '"last", "first", "all" or timestamps, separated by commas',
    list(VERSION),
    { details: 'Only the newest version of an object is stored, so the words mean the same' },
  ),
  'match[spec_version]': field('versions of STIX, separated by commas', list('[^,]+'), {
    details: 'All objects are of 2.1',
  }),
};

const options = {
  profile: field('"indicators" or "rich"', z.enum(['indicators', 'rich']).optional(), {
    details:
      'Two indicators for each report, or also the observables, infrastructure and malware that they are about, with relationships. `indicators` by default',
  }),
  tlp: field('"1" or "2"', z.enum(['1', '2']).optional(), {
    details: 'The version of the Traffic Light Protocol of the marking. 2 by default',
  }),
};

const paging = {
  limit: field('an integer of at least 1', integerText(1, 1e15).optional(), {
    details: `At most ${MAX_OBJECTS} objects are returned. ${DEFAULT_OBJECTS} by default`,
    example: 100,
  }),
  next: field('the "next" of an earlier answer', z.string().meta(NEXT).optional(), {
    details: 'It has precedence over `added_after`',
  }),
  added_after: field(
    'a UTC timestamp with at most nine digits of a second and "Z" or "+00:00"',
    z
      .string()
      .meta({ format: 'date-time', pattern: `^${TIMESTAMP}$` })
      .optional(),
    { example: '2026-08-26T10:00:00.000000Z' },
  ),
  lenient: field('"1"', z.literal('1').optional(), {
    details: 'Accepts an `added_after` without a zone as UTC',
  }),
};

/** Other members are ignored, as TAXII requires of unknown filters. */
export const objectsQuery = z.object({
  ...paging,
  'match[id]': field(`at most ${MAX_IDS} ids, separated by commas`, list('[^,]+', MAX_IDS)),
  'match[type]': field('types of STIX objects, separated by commas', list('[^,]+')),
  ...versionFilters,
  ...options,
});

export const objectQuery = z.object({ ...paging, ...versionFilters, ...options });

export const deletionQuery = z.object({ ...versionFilters });

export interface ObjectsRequest {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly addedAfter: AddedAfter | undefined;
  readonly ids: readonly string[] | undefined;
  readonly types: ReadonlySet<string> | undefined;
  /** Times in milliseconds; `undefined`: any. */
  readonly versions: ReadonlySet<number> | undefined;
  readonly isOfOurVersion: boolean;
  readonly profile: 'indicators' | 'rich';
  readonly tlp: '1' | '2';
}

/** `next` is empty if a client repeats that of a last page. */
export function toObjectsRequest(query: z.output<typeof objectsQuery>): ObjectsRequest {
  const ids = query['match[id]'];
  const types = query['match[type]'];
  const versions = readVersions(query['match[version]']);
  if (ids !== undefined && ids.length > MAX_IDS)
    throw invalid('invalid_query', [`match[id] must be at most ${MAX_IDS} ids.`]);
  return {
    limit: Math.min(query.limit ?? DEFAULT_OBJECTS, MAX_OBJECTS),
    cursor: query.next === '' ? undefined : query.next,
    addedAfter: readAddedAfter(query.added_after, query.lenient === '1'),
    ids,
    types: types && new Set(types),
    versions: versions && new Set(versions),
    isOfOurVersion: query['match[spec_version]']?.includes('2.1') ?? true,
    profile: query.profile ?? 'indicators',
    tlp: query.tlp ?? '2',
  };
}

function readAddedAfter(text: string | undefined, isLenient: boolean): AddedAfter | undefined {
  const parsedTime = text === undefined ? undefined : parseAddedAfter(text, isLenient);
  if (text !== undefined && parsedTime === undefined)
    throw invalid('invalid_query', [
      'added_after must be a UTC timestamp like 2026-08-26T10:00:00.000Z, with at most nine digits of a second and "Z" or "+00:00"; lenient=1 permits one without a zone.',
    ]);
  return parsedTime;
}

const ANY_VERSION = ['last', 'first', 'all'];

function readVersions(texts: readonly string[] | undefined): readonly number[] | undefined {
  if (texts === undefined) return undefined;
  const times = texts.map((text) =>
    ANY_VERSION.includes(text) ? undefined : (parseAddedAfter(text)?.ms ?? Number.NaN),
  );
  if (times.some((time) => Number.isNaN(time)))
    throw invalid('invalid_query', [
      'match[version] must be "last", "first", "all" or timestamps like 2026-08-26T10:00:00.000Z.',
    ]);
  const exact = times.filter((time) => time !== undefined);
  return exact.length < times.length ? undefined : exact;
}
