import { setImmediate } from 'node:timers/promises';
import type { JsonSchema, ReferenceDocument } from './document.ts';
import type { Guide } from './guides.ts';
import { html, inline, type Markup, markdown } from './markup.ts';
import { anchorOf, type PlacedOperation, showCommonRefusals, showOperation } from './operation.ts';
import { membersOf, typeOf } from './schema.ts';

/**
 * The reference of the API, made from its document. Its script only filters what is there. Other
 * requests are answered between two operations.
 */
export async function referencePage(
  document: ReferenceDocument,
  guides: readonly Guide[],
): Promise<string> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  );
  const groups = document.tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ tags }) => tags[0] === tag.name),
  }));
  const shown: Markup[] = [];
  for (const group of groups) shown.push(await showGroup(group, document));
  const types = await showTypes(document);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rapsheet API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/static/reference.css">
<link rel="stylesheet" href="/docs/static/operations.css">
<script src="/docs/static/reference.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a href="/">Rapsheet</a> <a href="/openapi.json">OpenAPI</a></header>
<div class="columns">
${showNavigation(groups)}
<main id="content" tabindex="-1">
<h1>Rapsheet API</h1>
${markdown(document.info.description)}
${showStart(guides)}
<section id="errors"><h2>Errors of every call</h2>
<p>Each error has a text for people in <code>error</code> and a code for programs in the header <code>X-Error-Code</code>. 429 and 503 have <code>Retry-After</code> if waiting helps.</p>
${showCommonRefusals(operations, document)}
</section>
${shown}
${types}
</main>
</div>
</body>
</html>
`;
  return page.text;
}

interface Group {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly PlacedOperation[];
}

function showNavigation(groups: readonly Group[]): Markup {
  return html`<nav aria-label="Operations">
<form role="search" hidden>
<label for="search">Search</label>
<input id="search" type="search" autocomplete="off" aria-describedby="found">
<p id="found" role="status"></p>
<fieldset><legend>Examples in</legend>${['curl', 'Python', 'TypeScript'].map(
    (language) =>
      html`<label><input type="radio" name="language" value="${language}"> ${language}</label>`,
  )}</fieldset>
</form>
<details class="contents" open><summary>Contents</summary>
<ul><li><a href="#start">Start</a></li><li><a href="#errors">Errors</a></li>
${groups.map(
  ({
    name,
    operations,
  }) => html`<li class="group"><a href="#/${name}">${name}</a><ul>${operations.map(
    (operation) => html`<li><a href="#${anchorOf(operation)}">${operation.summary}</a></li>`,
  )}</ul></li>
`,
)}<li><a href="#types">Types</a></li></ul>
</details>
</nav>`;
}

async function showGroup(
  { name, description, operations }: Group,
  document: ReferenceDocument,
): Promise<Markup> {
  const shown: Markup[] = [];
  for (const operation of operations) {
    shown.push(showOperation(operation, document));
    await setImmediate();
  }
  return html`<section class="group" id="/${name}">
<h2>${name}</h2>
<p>${inline(description)}</p>
${shown}</section>
`;
}

/** The address of this server is filled in by the script. */
function showStart(guides: readonly Guide[]): Markup {
  return html`<section id="start">
<h2>Get a token</h2>
<ul>
<li>You have an account: create a token on your <a href="/account">account page</a>. An operator sends the link that signs you in.</li>
<li>You run this server: its first start wrote the token of <code>admin</code> to <code>admin-token</code> in the data folder (<code>RAPSHEET_DATA_DIR</code>). <code>rapsheet account add alice --researcher</code> creates an account of your own and prints its token.</li>
<li>You look at a store of <code>rapsheet demo</code>: use the token of <code>explorer</code>, which it printed. Every example on this page succeeds with it, unless it says which operation returns a value.</li>
</ul>
<h2>Make the first call</h2>
<pre tabindex="0" aria-label="The first call"><code>export RAPSHEET_URL=<span class="origin">http://127.0.0.1:8080</span> RAPSHEET_TOKEN=<var>your token</var>
curl -H "Authorization: $RAPSHEET_TOKEN" "$RAPSHEET_URL/api/me"</code></pre>
<p>The examples use these two variables, as do the command line and the clients for <a href="/docs/guides/python.md">Python</a> and <a href="/docs/guides/typescript.md">TypeScript</a>.</p>
${
  guides.length === 0
    ? undefined
    : html`<h2>Guides</h2>
<ul>${guides.map(({ title, path }) => html`<li><a href="${path}">${title}</a></li>`)}</ul>`
}
</section>
`;
}

async function showTypes({ components }: ReferenceDocument): Promise<Markup> {
  const types: Markup[] = [];
  for (const [name, schema] of Object.entries(components.schemas)) {
    types.push(showType(name, schema));
    await setImmediate();
  }
  return html`<section id="types"><h2>Types</h2>
${types}</section>`;
}

function showType(name: string, schema: JsonSchema): Markup {
  return html`<details class="type"><summary><h3>${name}</h3></summary><div id="type-${name}">
${markdown(schema.description)}${membersOf(schema) ?? html`<p>${typeOf(schema)}</p>`}</div></details>
`;
}
