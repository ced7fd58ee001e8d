import type { Parameter } from '../parameter-examples.ts';

/** The parts of a finished operation from which its code samples are made. */
export interface SampledOperation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: unknown }>>;
  };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, unknown>> }>
  >;
  readonly security?: readonly unknown[];
}

/** The request that the examples of an operation make together. */
export interface ExampleRequest {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly method: string;
  /** With `{name}` for each parameter. */
  readonly path: string;
  readonly pathParameters: readonly ExampleParameter[];
  /** Those of the query that have an example. */
  readonly query: readonly (ExampleParameter & { readonly isRequired: boolean })[];
  readonly body: ExampleBody | undefined;
  readonly needsToken: boolean;
  /** The type of a successful answer. */
  readonly answerType: string;
}

export interface ExampleParameter {
  readonly name: string;
  /** `undefined` if another operation returns it: a variable with its name holds it. */
  readonly value: unknown;
}

interface ExampleBody {
  readonly type: string;
  /** A text, or a JSON value; `undefined` for a file. */
  readonly value: unknown;
}

export function exampleRequest(
  method: string,
  path: string,
  operation: SampledOperation,
): ExampleRequest {
  const parameters = operation.parameters ?? [];
  const [bodyType, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'));
  return {
    operationId: operation.operationId ?? '',
    tags: operation.tags ?? [],
    method: method.toUpperCase(),
    path,
    pathParameters: parameters
      .filter((one) => one.in === 'path')
      .map(({ name, example }) => ({ name, value: example })),
    query: parameters
      .filter((one) => one.in === 'query' && one.example !== undefined)
      .map(({ name, example, required }) => ({
        name,
        value: example,
        isRequired: required === true,
      })),
    body: bodyType === undefined ? undefined : { type: bodyType, value: media?.example },
    needsToken: operation.security?.length !== 0,
    answerType: Object.keys(success?.[1].content ?? {})[0] ?? '',
  };
}

/** The path and query; `variable` writes a value that another operation returns. */
export function exampleTarget(
  { path, pathParameters, query }: ExampleRequest,
  variable: (name: string) => string,
): string {
  const filled = pathParameters.reduce(
    (target, { name, value }) =>
      target.replace(
        `{${name}}`,
        value === undefined ? variable(name) : encodeURIComponent(String(value)),
      ),
    path,
  );
  const search = query.map(({ name, value }) => `${name}=${encodeURIComponent(String(value))}`);
  return search.length === 0 ? filled : `${filled}?${search.join('&')}`;
}
