import { RapsheetError } from '../../../src/client/error.ts';
import { explain } from './explain.ts';

export interface FieldErrors<Name extends string> {
  readonly fields: { readonly [Field in Name]?: string };
  /** What concerns no field. */
  readonly other: string | undefined;
}

interface Options<Name extends string> {
  /** The fields of refusals that name no member, by their code. */
  readonly codes?: Readonly<Record<string, Name>>;
  /** What a field must be, where the rule of the API is in terms of JSON. */
  readonly rules?: { readonly [Field in Name]?: string };
}

/**
 * Divides a refusal among the fields of a form. The server names the member at the beginning of
 * each sentence: `hosts must be …`, `quota.limit must be …`. A field is named after a member, or
 * after the object that has it.
 */
export function fieldErrors<Name extends string>(
  error: unknown,
  names: readonly Name[],
  { codes = {}, rules = {} }: Options<Name> = {},
): FieldErrors<Name> {
  if (error === null || error === undefined) return { fields: {}, other: undefined };
  const { title, text } = explain(error);
  if (!(error instanceof RapsheetError) || error.status === undefined)
    return { fields: {}, other: `${title}. ${text}` };
  const field = codes[error.code];
  if (field !== undefined)
    return { fields: { [field]: text } as { [F in Name]?: string }, other: undefined };
  if (error.code !== 'invalid_body') return { fields: {}, other: text };
  return divide(text, names, rules);
}

export const HOSTS_RULE =
  'Each line must be a host name, with or without "*." before it; at most 1000 lines.';
export const NETWORKS_RULE =
  'Each line must be a network such as 203.0.113.0/24, by its first address; at most 1000 lines.';

const MEMBER = /^([A-Za-z0-9]+)(\.[A-Za-z0-9]+)* (?:is missing; it )?must /;
const NEXT_MEMBER = /(?<=[.!]) (?=[a-z][A-Za-z0-9]*(?:\.[A-Za-z0-9]+)* (?:is missing; it )?must )/;

function divide<Name extends string>(
  text: string,
  names: readonly Name[],
  rules: { readonly [Field in Name]?: string },
): FieldErrors<Name> {
  const fields: { [Field in Name]?: string } = {};
  const other: string[] = [];
  for (const sentence of text.split(NEXT_MEMBER)) {
    const name = fieldOf(sentence, names);
    if (name === undefined) other.push(forPeople(sentence));
    else {
      // Other refusals of the field are more specific than its rule.
      const rule = / must be /.test(sentence) ? rules[name] : undefined;
      const problem = rule ?? forPeople(sentence.replace(MEMBER, 'Must '));
      fields[name] = [fields[name] ?? '', problem].filter(Boolean).join(' ');
    }
  }
  return { fields, other: other.length === 0 ? undefined : other.join(' ') };
}

function fieldOf<Name extends string>(sentence: string, names: readonly Name[]): Name | undefined {
  const [path = ''] = sentence.split(' ', 1);
  const [first = ''] = path.split('.', 1);
  return names.find((one) => one === path) ?? names.find((one) => one === first);
}

/** A form has empty fields instead of `null`. */
function forPeople(sentence: string): string {
  return sentence
    .replaceAll('an integer', 'a whole number')
    .replaceAll('or null for', 'or empty for');
}
