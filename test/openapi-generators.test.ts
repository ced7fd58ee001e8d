import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

/** What generators of clients refuse, or generate wrongly, although OpenAPI allows it. */

type Schema = Readonly<Record<string, unknown>>;

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
}

const document = JSON.parse(
  readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8'),
) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
const { schemas } = document.components;
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

/** Every generator has its own casing; letters and digits are what is left of all. */
const toKey = (name: string) => name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}

/** All objects of the document but its examples, with the name of their member. */
function* objectsOf(value: unknown, member = ''): Generator<readonly [string, Schema]> {
  if (!isObject(value) || member.startsWith('example')) return;
  yield [member, value];
  for (const [name, part] of Object.entries(value)) yield* objectsOf(part, name);
}

/** The names of types that generators make up for schemas inside of a named one. */
function* inlineNames(name: string, schema: Schema): Generator<string> {
  for (const [property, part] of Object.entries(schema['properties'] ?? {})) {
    const inner = isObject(part['items']) ? part['items'] : part;
    if ('enum' in inner || 'properties' in inner) yield name + property;
    yield* inlineNames(name + property, inner);
  }
}

function duplicatesOf(names: readonly string[]): readonly string[] {
  const keys = names.map(toKey);
  return names.filter((name, index) => keys.indexOf(toKey(name)) !== index);
}

describe('generators of clients', () => {
  it('get no schema that is true or false, except for further members', () => {
    for (const [member, value] of objectsOf(document.paths)) {
      if (member === 'properties')
        assert.ok(Object.values(value).every(isObject), JSON.stringify(value));
      for (const word of ['items', 'not', 'oneOf', 'anyOf', 'allOf'])
        for (const part of [value[word] ?? {}].flat()) assert.ok(isObject(part), word);
    }
  });

  it('make a name of its own for every schema, in any casing', () => {
    const named = Object.keys(schemas);
    const inline = Object.entries(schemas).flatMap(([name, schema]) => [
      ...inlineNames(name, schema),
    ]);
    assert.ok(inline.length > 20);
    assert.deepEqual(duplicatesOf([...named, ...new Set(inline)]), []);
  });

  it('make no name of an operation that a schema has', () => {
    const ends = ['Response', 'Params', 'JSONBody', 'JSONRequestBody', 'Body'];
    const names = operations.flatMap(({ operationId }) => ends.map((end) => operationId + end));
    assert.deepEqual(duplicatesOf([...Object.keys(schemas), ...names]), []);
  });

  it('make a name of its own for every parameter of an operation, wherever it is sent', () => {
    for (const { operationId, parameters = [] } of operations)
      assert.deepEqual(duplicatesOf(parameters.map(({ name }) => name)), [], operationId);
  });

  it('get patterns that need no flag', () => {
    const patterns = [...objectsOf(document)].flatMap(([, { pattern }]) =>
      typeof pattern === 'string' ? [pattern] : [],
    );
    assert.ok(patterns.length > 100);
    for (const pattern of new Set(patterns)) {
      assert.doesNotMatch(pattern, /\\[pP]\{/);
      for (const flags of ['', 'u']) assert.ok(new RegExp(pattern, flags), pattern);
    }
  });

  it('get no path with a slash at its end', () => {
    assert.deepEqual(
      Object.keys(document.paths).filter((path) => path.endsWith('/')),
      [],
    );
  });
});
