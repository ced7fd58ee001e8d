import { Problem } from '../../domain/problem.ts';

/** Without a character set: some clients compare the whole value. */
export const TAXII_TYPE = 'application/taxii+json;version=2.1';
export const STIX_TYPE = 'application/stix+json;version=2.1';

/** The longest submission: the objects of the longest page of another installation fit. */
export const MAX_CONTENT_LENGTH = 2 * 1024 * 1024;

const ACCEPTED = [
  'application/taxii+json',
  'application/stix+json',
  'application/json',
  'application/*',
  '*/*',
];

interface MediaType {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

function parseMediaType(text: string): MediaType {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  return {
    type,
    parameters: new Map(
      parameters.map((parameter) => {
        const [name = '', value = ''] = parameter.split('=', 2);
        return [name.trim(), value.trim().replaceAll('"', '')];
      }),
    ),
  };
}

/** A version may be missing: many clients send none. */
function isOurVersion({ parameters }: MediaType): boolean {
  return (parameters.get('version') ?? '2.1') === '2.1';
}

/**
 * The refusal of a request whose `Accept` excludes TAXII 2.1. It names another version or only
 * other types; JSON of any kind is enough.
 */
export function acceptRefusal(accept: string | undefined): Problem | undefined {
  const ranges = (accept ?? '').split(',').map(parseMediaType);
  if (accept === undefined || ranges.every(({ type }) => type === '')) return undefined;
  const isAccepted = ranges.some(
    (range) =>
      ACCEPTED.includes(range.type) &&
      isOurVersion(range) &&
      Number(range.parameters.get('q') ?? 1) !== 0,
  );
  return isAccepted ? undefined : new Problem('not_acceptable');
}

/** The types of a submission. One client sends that of STIX. */
export const SUBMITTED_TYPES = ['application/taxii+json', 'application/stix+json'];

export function isSubmittedType(contentType: string | undefined): boolean {
  const type = parseMediaType(contentType ?? '');
  return SUBMITTED_TYPES.includes(type.type) && isOurVersion(type);
}
