import { type JsonSchema, nameOf } from './document.ts';
import { html, inline, type Markup } from './markup.ts';

/** The type of a value in one line, with links to named types. */
export function typeOf(schema: JsonSchema | undefined): Markup {
  if (schema === undefined) return html`any`;
  if (schema.$ref !== undefined) return typeLink(nameOf(schema.$ref));
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined)
    return join(schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`));
  const several = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (several !== undefined) return join(several.map(typeOf));
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return html`any`;
  return join(types.map((type) => plainType(type, schema)));
}

function typeLink(name: string): Markup {
  return html`<a href="#type-${name}">${name}</a>`;
}

function plainType(type: string, schema: JsonSchema): Markup {
  if (type === 'array') return html`list of ${typeOf(schema.items)}`;
  const { additionalProperties: values } = schema;
  if (type === 'object' && schema.properties === undefined && typeof values === 'object')
    return html`object of ${typeOf(values)}`;
  return html`${type}`;
}

function join(parts: readonly Markup[]): Markup {
  return html`${parts.map((part, index) => (index === 0 ? part : html` or ${part}`))}`;
}

/** The members of an object, and of the objects in it that have no name of their own. */
export function membersOf(schema: JsonSchema): Markup | undefined {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length > 0)
    return html`<dl>${properties.map(([name, member]) =>
      describe({
        name,
        schema: member,
        note: schema.required?.includes(name) === true ? 'required' : undefined,
      }),
    )}</dl>`;
  const inner = [schema.items ?? [], schema.anyOf ?? [], schema.oneOf ?? [], schema.allOf ?? []]
    .flat()
    .flatMap((part) => (part.$ref === undefined ? (membersOf(part) ?? []) : []));
  return inner.length === 0 ? undefined : html`${inner}`;
}

interface Described {
  readonly name: string;
  readonly schema: JsonSchema | undefined;
  readonly note: string | undefined;
  readonly description?: string | undefined;
  readonly example?: unknown;
}

/** A member or parameter: its type, whether it is required, and what it means. */
export function describe({ name, schema, note, description, example }: Described): Markup {
  const text = description ?? schema?.description;
  const shown = example ?? schema?.examples?.[0];
  const preset = schema?.default;
  return html`<dt><code>${name}</code> <span class="type">${typeOf(schema)}</span>${
    note === undefined ? undefined : html` <span class="note">${note}</span>`
  }</dt><dd>${text === undefined ? undefined : html`${inline(text)}. `}${
    preset === undefined ? undefined : html`By default <code>${JSON.stringify(preset)}</code>. `
  }${shown === undefined ? undefined : html`Example: <code>${exampleText(shown)}</code>`}${
    schema === undefined || schema.$ref !== undefined ? undefined : membersOf(schema)
  }</dd>`;
}

function exampleText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
