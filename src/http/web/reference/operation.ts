import type {
  DocumentedOperation,
  DocumentedResponse,
  Example,
  ReferenceDocument,
} from './document.ts';
import { nameOf } from './document.ts';
import { html, inline, type Markup, markdown } from './markup.ts';
import { describe, membersOf, typeOf } from './schema.ts';

export interface PlacedOperation extends DocumentedOperation {
  readonly method: string;
  readonly path: string;
}

/** Refusals that every call with a token may get. They are shown once, for all. */
const COMMON_CODES = [
  'malformed_request',
  'token_missing',
  'token_invalid',
  'session_expired',
  'cross_origin',
  'too_many_bad_tokens',
  'overloaded',
  'unavailable',
  'internal',
];

/** The anchors that links of earlier versions of the page have. */
export function anchorOf({ tags, operationId }: DocumentedOperation): string {
  return `/${tags[0]}/${operationId}`;
}

/** The anchor is in the part that opens, because browsers open what a link leads into. */
export function showOperation(operation: PlacedOperation, document: ReferenceDocument): Markup {
  const { method, path, summary, description } = operation;
  return html`<details class="operation">
<summary><h3><span class="method ${method}">${method.toUpperCase()}</span> <code>${breakable(path)}</code> <span class="summary">${summary}</span></h3></summary>
<div id="${anchorOf(operation)}">
${markdown(description)}
${operation.security?.length === 0 ? html`<p>Needs no token.</p>` : undefined}
${operation['x-codeSamples'].map(({ label, source }) => sample(label, source))}
${showParameters(operation)}
${showBody(operation)}
${showAnswers(operation)}
${showRefusals(operation, document)}
</div>
</details>
`;
}

/** A long path may be broken after a slash. */
function breakable(path: string): Markup {
  const parts = path.split('/');
  return html`${parts.map((part, index) => (index === 0 ? part : html`/<wbr>${part}`))}`;
}

function sample(label: string, source: string): Markup {
  return html`<div class="sample" data-language="${label}"><h4>${label}</h4><pre tabindex="0" aria-label="${label}"><code>${source}</code></pre></div>`;
}

function showParameters({ parameters = [] }: DocumentedOperation): Markup | undefined {
  if (parameters.length === 0) return undefined;
  const items = parameters.map(({ name, in: where, required, schema, description, example }) =>
    describe({
      name,
      schema,
      note: required === true ? `${where}, required` : where,
      description,
      example,
    }),
  );
  return html`<h4>Parameters</h4><dl>${items}</dl>`;
}

function showBody({ requestBody }: DocumentedOperation): Markup | undefined {
  if (requestBody === undefined) return undefined;
  const parts = Object.entries(requestBody.content).map(
    ([type, { schema }]) =>
      html`<p><code>${type}</code>${requestBody.required === true ? undefined : ', optional'}: ${typeOf(schema)}${
        schema?.description === undefined ? undefined : html`. ${inline(schema.description)}`
      }</p>${schema === undefined ? undefined : membersOf(schema)}`,
  );
  return html`<h4>Body</h4>${parts}`;
}

function showAnswers({ responses }: DocumentedOperation): Markup {
  const answers = Object.entries(responses).filter(([status]) => Number(status) < 400);
  return html`<h4>Answers</h4>${answers.map(([status, response]) => showAnswer(status, response))}`;
}

function showAnswer(status: string, { description, content, headers }: DocumentedResponse): Markup {
  const types = Object.entries(content ?? {}).map(
    ([type, { schema }]) =>
      html`<p><code>${type}</code>: ${typeOf(schema)}</p>${schema === undefined ? undefined : membersOf(schema)}`,
  );
  const names = Object.keys(headers ?? {}).filter((name) => name !== 'X-Request-Id');
  return html`<p><strong>${status}</strong> ${inline(description)}</p>${types}${
    names.length === 0
      ? undefined
      : html`<p>Headers: ${names.map((name, index) => html`${index === 0 ? '' : ', '}<code>${name}</code>`)}</p>`
  }`;
}

interface Refusal {
  readonly status: string;
  readonly code: string;
  readonly body: unknown;
}

function refusalsOf(
  { responses }: DocumentedOperation,
  { components }: ReferenceDocument,
): readonly Refusal[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { content = {} }]) =>
      Object.values(content).flatMap(({ examples = {} }) =>
        Object.entries(examples).map(([code, example]) => ({
          status,
          code,
          body: exampleValue(example, components.examples),
        })),
      ),
    );
}

function exampleValue({ $ref, value }: Example, named: Readonly<Record<string, Example>>): unknown {
  return $ref === undefined ? value : named[nameOf($ref)]?.value;
}

function showRefusals(
  operation: DocumentedOperation,
  document: ReferenceDocument,
): Markup | undefined {
  const refusals = refusalsOf(operation, document);
  if (refusals.length === 0) return undefined;
  const own = refusals.filter(({ code }) => !COMMON_CODES.includes(code));
  return html`<h4>Errors</h4>${own.length === 0 ? undefined : listRefusals(own)}<p>And those of <a href="#errors">every call</a>.</p>`;
}

/** Each common refusal once, from whatever operation has it first. */
export function showCommonRefusals(
  operations: readonly PlacedOperation[],
  document: ReferenceDocument,
): Markup {
  const all = operations.flatMap((operation) => refusalsOf(operation, document));
  const common = COMMON_CODES.flatMap((code) => all.find((one) => one.code === code) ?? []);
  return listRefusals(common);
}

function listRefusals(refusals: readonly Refusal[]): Markup {
  return html`<dl class="refusals">${refusals.map(
    ({ status, code, body }) =>
      html`<dt>${status} <code>${code}</code></dt><dd><code>${JSON.stringify(body)}</code></dd>`,
  )}</dl>`;
}
