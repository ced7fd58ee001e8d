import assert from 'node:assert/strict';
import { RETURNED_BY } from '../../src/http/openapi/examples.ts';

interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema: { readonly examples?: readonly unknown[] };
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: unknown }>>;
  };
}

interface Operation extends Described {
  readonly method: string;
  readonly path: string;
}

/** Operations whose example cannot succeed on a plain demo store, and why. */
const NEEDS_MORE: Readonly<Record<string, string>> = {
  testMail: 'needs a mail server',
  listMailDeliveries: 'the demo gives no service a mail address, because it has no mail server',
  replayMail: 'needs a delivery by mail',
};

/** Parameters that are sent instead of another one, which has an example of its own. */
const INSTEAD_OF: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  similarToSsdeep: { tlsh: 'ssdeep' },
};

/** Readers first; what removes an object last. */
const ORDER = ['get', 'post', 'patch', 'delete'];

const firstEvent = (manifest: object) => `${Object.keys(manifest)[0]}.json`;

/** The values that differ in every store, from the answer of the operation that returns them. */
const FOUND: Readonly<Record<string, (answer: never, operationId: string) => string | undefined>> =
  {
    mispManifest: firstEvent,
    mispManifestOfAll: firstEvent,
    listProposals: (page: { proposals: { id: string; state: string }[] }, operationId) =>
      page.proposals.filter(({ state }) => state === 'open')[
        operationId === 'reportProposal' ? 0 : 1
      ]?.id,
    taxiiAddObjects: (status: { id: string }) => status.id,
    taxiiObjects: (envelope: { objects: { id: string }[] }) =>
      envelope.objects.find(({ id }) => id.startsWith('indicator--'))?.id,
  };

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Executes the examples of the OpenAPI document as the reference page does. */
export class ExampleRunner {
  readonly #url: string;
  readonly #token: string;
  readonly #answers = new Map<string, unknown>();

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async #operations(): Promise<readonly Operation[]> {
    const document = (await (await fetch(`${this.#url}/openapi.json`)).json()) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
    };
    const all = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => ({ ...one, method, path })),
    );
    // The status of a submission can be read after it.
    const rankOf = ({ method, operationId }: Operation) =>
      operationId === 'taxiiStatus' ? 1.5 : ORDER.indexOf(method);
    return all
      .filter(({ operationId }) => NEEDS_MORE[operationId] === undefined)
      .sort((one, other) => rankOf(one) - rankOf(other));
  }

  /** Executes all of them, and returns what failed. */
  async runAll(): Promise<readonly string[]> {
    const failures: string[] = [];
    for (const operation of await this.#operations()) {
      try {
        await this.#run(operation);
        if (operation.method === 'get') await this.#runOptional(operation);
      } catch (cause) {
        failures.push(String(cause));
      }
    }
    return failures;
  }

  /** Executes the operation with its examples; fails unless it succeeds. */
  async #run(operation: Operation): Promise<void> {
    const { operationId, requestBody } = operation;
    const values = this.#examplesOf(operation);
    const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
    const body = media === undefined ? undefined : bodyOf(operationId, type ?? '', media.example);
    const answer = await this.#send(operation, values, body);
    assert.ok(answer.status < 300, `${operationId}: ${answer.status} ${answer.text}`);
    assert.doesNotMatch(answer.text, /"successful":false|"failure_count":[1-9]/, operationId);
    if (FOUND[operationId] !== undefined) this.#answers.set(operationId, JSON.parse(answer.text));
  }

  /** Executes it again with each example of an optional parameter, which the page only shows. */
  async #runOptional(operation: Operation): Promise<void> {
    const { operationId, parameters = [] } = operation;
    for (const parameter of parameters) {
      const [example] = parameter.schema.examples ?? [];
      if (example === undefined || parameter.required) continue;
      const values = this.#examplesOf(operation).set(parameter, example);
      const other = INSTEAD_OF[operationId]?.[parameter.name];
      for (const one of parameters) if (one.name === other) values.delete(one);
      const answer = await this.#send(operation, values, undefined);
      const title = `${operationId} with ${parameter.name}`;
      assert.ok(answer.status < 300, `${title}: ${answer.status} ${answer.text}`);
    }
  }

  #examplesOf({ operationId, parameters = [] }: Operation): Map<Parameter, unknown> {
    const values = new Map<Parameter, unknown>();
    for (const parameter of parameters) {
      const value = parameter.example ?? this.#returned(operationId, parameter.name);
      if (parameter.required) assert.notEqual(value, undefined, `${operationId} ${parameter.name}`);
      if (value !== undefined) values.set(parameter, value);
    }
    return values;
  }

  #returned(operationId: string, name: string): string | undefined {
    const source = RETURNED_BY[operationId]?.[name] ?? '';
    return FOUND[source]?.(this.#answers.get(source) as never, operationId);
  }

  async #send(
    { method, path }: Operation,
    values: ReadonlyMap<Parameter, unknown>,
    body: { readonly type?: string; readonly content: string | FormData } | undefined,
  ): Promise<Answer> {
    const url = new URL(path, this.#url);
    const headers = new Headers({ authorization: this.#token });
    if (body?.type !== undefined) headers.set('content-type', body.type);
    for (const [parameter, value] of values) {
      const text = String(value);
      if (parameter.in === 'header') headers.set(parameter.name, text);
      else if (parameter.in === 'query') url.searchParams.append(parameter.name, text);
      else
        url.pathname = decodeURI(url.pathname).replace(
          `{${parameter.name}}`,
          encodeURIComponent(text),
        );
    }
    const stop = new AbortController();
    const answer = await fetch(url, {
      method: method.toUpperCase(),
      headers,
      signal: stop.signal,
      ...(body !== undefined && { body: body.content }),
    });
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const text = isStream ? '' : await answer.text();
    stop.abort();
    return { status: answer.status, text };
  }
}

function bodyOf(operationId: string, type: string, example: unknown) {
  if (type === 'multipart/form-data') {
    // The reader chooses the file.
    const content = new FormData();
    content.set('file', new Blob(['a file']), 'a-file.txt');
    return { content };
  }
  assert.notEqual(example, undefined, `the body of ${operationId} has no example`);
  const content = typeof example === 'string' ? example : JSON.stringify(example);
  return { type, content };
}
