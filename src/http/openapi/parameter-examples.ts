import { EXAMPLES, PARAMETER_EXAMPLES, RETURNED_BY } from './examples.ts';

/** The parts of a parameter that this file reads or changes. */
export interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema?: object;
  readonly description?: string;
}

/**
 * The reference page sends the example of a parameter, even of an optional one. So optional
 * parameters have theirs in the schema, which is only shown, unless the operation names it.
 * Fastify lower-cases header names; this restores the customary spelling.
 */
export function finishParameter(
  { example: shown, ...parameter }: Parameter,
  operationId: string = '',
): Parameter {
  const name =
    parameter.in === 'header'
      ? parameter.name.replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase())
      : parameter.name;
  const source = RETURNED_BY[operationId]?.[name];
  if (source !== undefined) return { ...parameter, name, ...describe(parameter, source) };
  const example =
    EXAMPLES[operationId]?.parameters?.[name] ??
    (parameter.required === true ? PARAMETER_EXAMPLES[name] : undefined);
  if (example !== undefined) return { ...parameter, name, example };
  return {
    ...parameter,
    name,
    ...(shown !== undefined && { schema: { ...parameter.schema, examples: [shown] } }),
  };
}

function describe({ description }: Parameter, source: string): { readonly description: string } {
  return { description: [description, `See \`${source}\`.`].filter(Boolean).join('. ') };
}

interface WithBody {
  readonly requestBody?: { readonly content: Readonly<Record<string, object>> };
}

export function withBodyExample(part: WithBody | undefined, operationId: string = ''): object {
  const example = EXAMPLES[operationId]?.body;
  if (part?.requestBody === undefined) return {};
  if (example === undefined) return part;
  const content = Object.entries(part.requestBody.content).map(([type, media]) => [
    type,
    { ...media, example },
  ]);
  return { requestBody: { ...part.requestBody, content: Object.fromEntries(content) } };
}
