import { z } from 'zod';
import { invalid } from '../../domain/problem.ts';
import { integerFormat, type TextFormat } from '../openapi/text-formats.ts';

/**
 * Each member of a body, query or path has a rule: a sentence part that states what it must be.
 * Error texts quote it, and the OpenAPI document shows it.
 */
const rules = z.registry<{ rule: string }>();

export interface FieldOptions {
  /** A second sentence, shown only in the OpenAPI document. */
  readonly details?: string;
  readonly example?: unknown;
}

/**
 * Attaches the rule to the schema of a member, and describes the member in the OpenAPI document.
 */
export function field<Schema extends z.ZodType>(
  rule: string,
  schema: Schema,
  { details, example }: FieldOptions = {},
): Schema {
  const described = schema.meta({
    description: details === undefined ? rule : `${rule}. ${details}`,
    ...(example !== undefined && { examples: [example] }),
  });
  rules.add(described, { rule });
  return described;
}

/** A string that must parse into a domain value. The format describes it in the document. */
export function parsed<Value>(parse: (text: string) => Value | undefined, format: TextFormat = {}) {
  return z
    .string()
    .transform((text, context): Value => {
      const value = parse(text);
      if (value !== undefined) return value;
      context.issues.push({ code: 'custom', input: text });
      return z.NEVER;
    })
    .meta(format);
}

/** A boolean in a query, which is a text there. */
export const flagText = z.enum(['true', 'false']).meta({ type: 'boolean' });

/** An integer in a query, which is a text there. */
export function integerText(min: number, max: number) {
  return parsed(integerBetween(min, max), integerFormat(min, max));
}

/** Parses a decimal integer without sign or leading zeros. */
export function integerBetween(min: number, max: number) {
  return (text: string): number | undefined => {
    const number = /^(?:0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  };
}

/**
 * A body may have tens of thousands of unknown members. The error text names only the first ones.
 */
const MAX_NAMED_MEMBERS = 16;

/**
 * An object that refuses unknown members by name: a typo must not be treated as an absent member.
 */
export function strictObject<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return 'It must be a JSON object.';
      const named = issue.keys
        .slice(0, MAX_NAMED_MEMBERS)
        .map((key) => JSON.stringify(key.slice(0, 64)));
      const others = issue.keys.length - named.length;
      const unknown = named.join(', ') + (others > 0 ? ` (and ${others} more)` : '');
      return `${unknown} is not known here; the members are ${Object.keys(shape).join(', ')}.`;
    },
  });
}

/** A list may have as many invalid items as it has items. More problems would hardly be read. */
const MAX_ISSUES = 100;

/**
 * Applies a schema. Returns either the value or all problems, each as a sentence that names the
 * member.
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { readonly value: z.output<Schema> } | { readonly problems: readonly string[] } {
  const checked = validatePaths(schema, value);
  if ('value' in checked) return checked;
  return { problems: [...new Set(checked.problems.map(({ problem }) => problem))] };
}

/** Like `validate`, with the path of the member that each problem is about: `quota`, `limit`. */
export function validatePaths<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { readonly value: z.output<Schema> } | { readonly problems: readonly PathProblem[] } {
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data };
  return {
    problems: result.error.issues.slice(0, MAX_ISSUES).map((issue) => ({
      path: issue.path.map(String),
      problem: toSentence(issue, schema, value),
    })),
  };
}

interface PathProblem {
  readonly path: readonly string[];
  /** A sentence that begins with the name of the member. */
  readonly problem: string;
}

/** What is wrong with one member of a body; `undefined`: with the body as a whole. */
export interface FieldProblem {
  readonly field: string | undefined;
  readonly error: string;
}

/** Like `validate`, with the member that each problem is about; at most one problem for each. */
export function problemsByField(schema: z.ZodType, value: unknown): readonly FieldProblem[] {
  const problems = new Map<string | undefined, FieldProblem>();
  for (const issue of schema.safeParse(value).error?.issues.slice(0, MAX_ISSUES) ?? []) {
    const [step] = issue.path;
    const field = step === undefined ? undefined : String(step);
    if (!problems.has(field))
      problems.set(field, { field, error: toSentence(issue, schema, value) });
  }
  return [...problems.values()];
}

/**
 * The validator that fastify calls for route schemas. The error code depends on the part of the
 * request.
 */
export function compileValidator({
  schema,
  httpPart,
}: {
  schema: unknown;
  httpPart?: string | undefined;
}) {
  return (value: unknown) => {
    // All route schemas are zod schemas, which fastify's types do not express. Fastify passes null
    // if there is no body.
    const checked = validate(
      schema as z.ZodType,
      httpPart === 'body' ? (value ?? undefined) : value,
    );
    if ('value' in checked) return checked;
    return {
      error: invalid(httpPart === 'body' ? 'invalid_body' : 'invalid_query', checked.problems),
    };
  };
}

/** For lookups, which spend a unit before the input is checked. */
export function skipValidation() {
  return (value: unknown) => ({ value });
}

function shapeOf(schema: z.ZodType): z.ZodRawShape {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return shapeOf(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodObject ? schema.shape : {};
}

/** The path of an issue has names that the caller chose, such as "toString". */
function memberOf(schema: z.ZodType, name: string): z.ZodType | undefined {
  const shape = shapeOf(schema);
  return Object.hasOwn(shape, name) ? (shape[name] as z.ZodType) : undefined;
}

/** Quotes the rule of the innermost member that has one. Nested members are named by their path. */
function toSentence(issue: z.core.$ZodIssue, schema: z.ZodType, value: unknown): string {
  const names: string[] = [];
  let sentence: string | undefined;
  let inner = schema;
  let given = value;
  for (const step of issue.path) {
    const name = String(step);
    const member = memberOf(inner, name);
    if (member === undefined) break;
    names.push(name);
    const isThere = isObject(given) && Object.hasOwn(given, name);
    const rule = rules.get(member)?.rule;
    if (rule !== undefined)
      sentence = `${names.join('.')} ${isThere ? '' : 'is missing; it '}must be ${rule}.`;
    given = isThere ? (given as Readonly<Record<string, unknown>>)[name] : undefined;
    inner = member;
  }
  if (sentence !== undefined) return sentence;
  const isNoObject = issue.code === 'invalid_type' && Object.keys(shapeOf(inner)).length > 0;
  return isNoObject && names.length > 0
    ? `${names.join('.')} must be a JSON object.`
    : issue.message;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
