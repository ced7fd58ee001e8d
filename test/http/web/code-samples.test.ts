import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { RapsheetClient } from '../../../src/client/client.ts';
import {
  type ExampleRequest,
  exampleRequest,
  exampleTarget,
  type SampledOperation,
} from '../../../src/http/openapi/samples/example-request.ts';

interface Operation extends SampledOperation {
  readonly operationId: string;
  readonly 'x-codeSamples': readonly { readonly label: string; readonly source: string }[];
}

const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8'),
) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
};

const samples = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    operation,
    request: exampleRequest(method, path, operation),
    sourceOf: (label: string) =>
      operation['x-codeSamples'].find((one) => one.label === label)?.source ?? '',
  })),
);

/** What a sample sends. */
interface Sent {
  readonly method: string;
  readonly target: string;
  readonly body: string | undefined;
  readonly type: string | undefined;
}

const VARIABLE = 'value';

function checkSent(request: ExampleRequest, { method, target, body, type }: Sent): void {
  assert.equal(method, request.method);
  assert.equal(
    target,
    exampleTarget(request, () => VARIABLE),
  );
  // A body without members may be left out.
  if (JSON.stringify(request.body?.value) === '{}' && (body ?? '') === '') return;
  if (request.body === undefined || request.body.type === 'multipart/form-data') return;
  assert.equal(type?.replace(/;.*/, ''), request.body.type.replace(/;.*/, ''));
  const { value } = request.body;
  if (typeof value === 'string') assert.equal(body, value);
  else assert.deepEqual(JSON.parse(body ?? ''), value ?? {});
}

/** Runs a script with a `curl` that prints its arguments and its input. */
function runCurl(source: string, variables: readonly string[]): Sent {
  const script = `curl() { printf '%s\\0' "$@"; [ -t 0 ] || cat; }\n${source}\n`;
  const { stdout, status, stderr } = spawnSync('sh', ['-eu', '-c', script], {
    input: '',
    encoding: 'utf8',
    env: {
      ...process.env,
      RAPSHEET_URL: 'http://x',
      RAPSHEET_TOKEN: 'rap_token',
      ...Object.fromEntries(variables.map((name) => [name, VARIABLE])),
    },
  });
  assert.equal(status, 0, stderr);
  const args = stdout.split('\0');
  const body = args.pop() ?? '';
  const option = (name: string) => args[args.indexOf(name) + 1];
  const sends = args.includes('--data-binary') || args.includes('-F');
  const headers = args.filter((_, index) => args[index - 1] === '-H');
  assert.ok(headers.every((one) => /^(?:Authorization: rap_token|Content-Type: .+)$/.test(one)));
  return {
    method: args.includes('-X') ? (option('-X') ?? '') : sends ? 'POST' : 'GET',
    target: args.at(-1)?.replace('http://x', '') ?? '',
    body,
    type: headers.find((one) => one.startsWith('Content-Type: '))?.slice(14),
  };
}

/** Runs the statements of a sample after its imports. */
async function runTypeScript(source: string, variables: readonly string[]): Promise<Sent> {
  const sent: Sent[] = [];
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    sent.push({
      method: request.method,
      target: request.url.replace('http://x', ''),
      body: await request.text(),
      type: request.headers.get('content-type') ?? undefined,
    });
    return Response.json({});
  };
  class RecordingClient extends RapsheetClient {
    constructor(options: { url: string; token: string }) {
      super({ ...options, fetch: send });
    }
  }
  const AsyncFunction = (async () => {}).constructor as new (
    ...text: string[]
  ) => (...values: unknown[]) => Promise<void>;
  const names = ['RapsheetClient', 'fetch', 'env', 'console', 'openAsBlob', ...variables];
  const run = new AsyncFunction(...names, source.replace(/^import .+$/gm, ''));
  await run(
    RecordingClient,
    send,
    { RAPSHEET_URL: 'http://x', RAPSHEET_TOKEN: 'rap_token' },
    { log: () => {} },
    async () => new Blob(['MZ']),
    ...variables.map(() => VARIABLE),
  );
  assert.equal(sent.length, 1);
  return sent[0] as Sent;
}

const variablesOf = ({ pathParameters }: ExampleRequest) =>
  pathParameters.filter(({ value }) => value === undefined).map(({ name }) => name);

describe('the code samples of the OpenAPI document', () => {
  for (const { operation, request, sourceOf } of samples) {
    it(`send the example of ${operation.operationId} with curl`, () => {
      checkSent(request, runCurl(sourceOf('curl'), variablesOf(request)));
    });

    it(`send the example of ${operation.operationId} with TypeScript`, async () => {
      checkSent(request, await runTypeScript(sourceOf('TypeScript'), variablesOf(request)));
    });
  }

  it('send bodies that the schemas accept', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    for (const { operation, request } of samples) {
      const [media] = Object.values(operation.requestBody?.content ?? {});
      const { schema } = (media ?? {}) as { schema?: object };
      if (schema === undefined || request.body?.value === undefined) continue;
      const validate = ajv.compile({ components: document.components, ...schema });
      assert.ok(
        validate(request.body.value),
        `${operation.operationId}: ${JSON.stringify(validate.errors)}`,
      );
    }
  });
});
