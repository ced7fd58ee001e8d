import { RapsheetError } from '../../../../src/client/error.ts';

export interface FieldErrors<Name extends string> {
  readonly fields: { readonly [Field in Name]?: string };
  /** What concerns no field. */
  readonly other: string | undefined;
}

/**
 * Divides the text of a refusal among the fields of a form. The server names the member at the
 * beginning of each sentence; `codes` has the fields of refusals that name none.
 */
export function fieldErrors<Name extends string>(
  error: unknown,
  text: string,
  names: readonly Name[],
  codes: Readonly<Record<string, Name>> = {},
): FieldErrors<Name> {
  if (error === null || error === undefined) return { fields: {}, other: undefined };
  if (!(error instanceof RapsheetError)) return { fields: {}, other: text };
  const field = codes[error.code];
  if (field !== undefined)
    return { fields: { [field]: text } as { [F in Name]?: string }, other: undefined };
  if (error.code !== 'invalid_body') return { fields: {}, other: text };
  return divide(text, names);
}

/** The field stands for the name of the member. */
function atField(sentence: string): string {
  return sentence.replace(/^[A-Za-z]+(?:\.[A-Za-z]+)? must /, 'Must ');
}

function divide<Name extends string>(text: string, names: readonly Name[]): FieldErrors<Name> {
  const fields: { [Field in Name]?: string } = {};
  const other: string[] = [];
  for (const sentence of text.split(/(?<=[.!]) (?=[a-z][A-Za-z]*(?:\.[A-Za-z]+)? must )/)) {
    const member = /^[A-Za-z]+/.exec(sentence)?.[0];
    const name = names.find((one) => one === member);
    if (name === undefined) other.push(sentence);
    else fields[name] = [fields[name] ?? '', atField(sentence)].filter(Boolean).join(' ');
  }
  return { fields, other: other.length === 0 ? undefined : other.join(' ') };
}
