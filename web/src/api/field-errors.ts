import { RapsheetError } from '../../../src/client/error.ts';
import { explain } from '../components/states.tsx';

export interface FieldErrors<Name extends string> {
  readonly fields: { readonly [Field in Name]?: string };
  /** What concerns no field. */
  readonly other: string | undefined;
}

/**
 * Divides the message of a refusal among the fields of a form. The server names the member at the
 * beginning of each sentence; `codes` has the fields of refusals that name none.
 */
export function fieldErrors<Name extends string>(
  error: unknown,
  names: readonly Name[],
  codes: Readonly<Record<string, Name>> = {},
): FieldErrors<Name> {
  if (error === null || error === undefined) return { fields: {}, other: undefined };
  const { text } = explain(error);
  if (!(error instanceof RapsheetError)) return { fields: {}, other: text };
  const field = codes[error.code];
  if (field !== undefined)
    return { fields: { [field]: text } as { [F in Name]?: string }, other: undefined };
  if (error.code !== 'invalid_body') return { fields: {}, other: text };
  return divide(text, names);
}

function divide<Name extends string>(text: string, names: readonly Name[]): FieldErrors<Name> {
  const fields: { [Field in Name]?: string } = {};
  const other: string[] = [];
  for (const sentence of text.split(/(?<=[.!]) (?=[a-z][A-Za-z]*(?:\.[A-Za-z]+)? must )/)) {
    const member = /^[A-Za-z]+/.exec(sentence)?.[0];
    const name = names.find((one) => one === member);
    if (name === undefined) other.push(sentence);
    else fields[name] = fields[name] === undefined ? sentence : `${fields[name]} ${sentence}`;
  }
  return { fields, other: other.length === 0 ? undefined : other.join(' ') };
}
