import type { App } from '../../src/http/fastify-types.ts';

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
}

interface Parameter {
  readonly in: string;
  readonly name: string;
}

interface Written {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Written>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** An operation of the OpenAPI document that takes a body or a query. */
export interface InputOperation {
  readonly id: string;
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  readonly queryNames: readonly string[];
  readonly headerNames: readonly string[];
  /** The content type of the body; `undefined` without one. */
  readonly bodyType: string | undefined;
  /** Bodies of JSON, each with the mark at another member, which stands for its value. */
  readonly marked: readonly string[];
}

/** Stands for a value in a body. */
export const MARK = '"@@"';

/** All operations of the document, so that a new one cannot be left out. */
export function inputOperations(app: App): readonly InputOperation[] {
  const { paths, components } = app.swagger() as unknown as Document;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, written]) => {
      const [[bodyType, media] = []] = Object.entries(written.requestBody?.content ?? {});
      const named = (kind: string) =>
        (written.parameters ?? []).filter((one) => one.in === kind).map(({ name }) => name);
      return {
        id: written.operationId,
        method: method.toUpperCase(),
        path,
        queryNames: named('query'),
        headerNames: named('header'),
        bodyType,
        marked: media === undefined ? [] : markedBodies(media, components.schemas),
      };
    }),
  );
}

/** The example of the body with a mark instead of the whole, and of each of its members. */
function markedBodies(
  { schema = {}, example = {} }: Media,
  schemas: Document['components']['schemas'],
): readonly string[] {
  const resolve = ({ $ref, ...schema }: Schema): Schema =>
    $ref === undefined ? schema : (schemas[$ref.split('/').at(-1) ?? ''] ?? {});
  const marks = (value: unknown, schema: Schema): readonly unknown[] => {
    const { properties = {}, items = {} } = resolve(schema);
    if (Array.isArray(value)) return ['@@', ...marks(value[0], items).map((one) => [one])];
    const members = isObject(value) ? value : {};
    const names = new Set([...Object.keys(members), ...Object.keys(properties)]);
    const inside = [...names].flatMap((name) =>
      marks(members[name], properties[name] ?? {}).map((one) => ({ ...members, [name]: one })),
    );
    return ['@@', ...inside];
  };
  return marks(example, schema).map((body) => JSON.stringify(body));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
