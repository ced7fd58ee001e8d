import { type ExampleRequest, exampleTarget } from './example-request.ts';
import { type Argument, Call, Code, TYPESCRIPT, write } from './literals.ts';

/** Protocols that have clients of their own; `rapsheet/client` has no methods for them. */
const OTHER_CLIENTS = /^\/(?:taxii2|misp|threatfox)(?:\/|$)/;

/** In the sample, not here. */
const IMPORT_ENV = "import { env } from 'node:%';".replace('%', 'process');

interface Special {
  readonly args: (request: ExampleRequest) => readonly Argument[];
  readonly imports?: string;
}

/** Methods whose arguments differ from the rule. */
const SPECIAL: Readonly<Record<string, Special>> = {
  // With the token of the client.
  signIn: { args: () => [] },
  lookUpMany: { args: (request) => [{ value: memberOf(request, 'hashes') }] },
  searchList: { args: (request) => [{ value: memberOf(request, 'queries') }] },
  similarToSsdeep: { args: byPosition },
  purgeReport: { args: byPosition },
  purgeSample: { args: byPosition },
  upload: {
    imports: "import { openAsBlob } from 'node:fs';\n",
    args: () => [
      { value: new Code("await openAsBlob('sample.bin')") },
      { value: { fileName: 'sample.bin' } },
    ],
  },
};

/** The method of `rapsheet/client` for an operation; `undefined` if there is none. */
function typescriptMethod({ operationId, path }: ExampleRequest): string | undefined {
  return OTHER_CLIENTS.test(path) ? undefined : operationId;
}

export function typescriptSample(request: ExampleRequest): string {
  const method = typescriptMethod(request);
  if (method === undefined) return plainSample(request);
  const special = SPECIAL[request.operationId];
  const call = new Call(`client.${method}`, special?.args(request) ?? usualArguments(request));
  return [
    `${special?.imports ?? ''}${IMPORT_ENV}\nimport { RapsheetClient } from 'rapsheet/client';\n`,
    'const { RAPSHEET_URL: url, RAPSHEET_TOKEN: token } = env;',
    'const client = new RapsheetClient({ url, token });',
    `console.log(await ${write(call, TYPESCRIPT, 18)});`,
  ].join('\n');
}

function plainSample(request: ExampleRequest): string {
  const { method, body, needsToken } = request;
  const target = exampleTarget(request, (name) => `\${${name}}`);
  const options = {
    ...(method !== 'GET' && { method }),
    headers: {
      ...(needsToken && { Authorization: new Code('token') }),
      ...(body !== undefined && { 'Content-Type': body.type }),
    },
    ...(body !== undefined && {
      body: new Call('JSON.stringify', [{ value: body.value }]),
    }),
  };
  const call = new Call('fetch', [{ value: new Code(`\`\${url}${target}\``) }, { value: options }]);
  return [
    `${IMPORT_ENV}\n`,
    'const { RAPSHEET_URL: url, RAPSHEET_TOKEN: token } = env;',
    `const answer = await ${write(call, TYPESCRIPT, 21)};`,
    'console.log(await answer.text());',
  ].join('\n');
}

/** Required parameters by position, then the body, then an object of the others. */
function usualArguments({ pathParameters, query, body }: ExampleRequest): readonly Argument[] {
  const others = query.filter(({ isRequired }) => !isRequired);
  return [
    ...pathParameters.map(({ name, value }) => ({ value: value ?? new Code(name) })),
    ...query.filter(({ isRequired }) => isRequired).map(({ value }) => ({ value })),
    ...(body?.value === undefined ? [] : [{ value: body.value }]),
    ...(others.length === 0
      ? []
      : [{ value: Object.fromEntries(others.map(({ name, value }) => [name, value])) }]),
  ];
}

function byPosition({ pathParameters, query }: ExampleRequest): readonly Argument[] {
  return [...pathParameters, ...query].map(({ value }) => ({ value }));
}

function memberOf({ body }: ExampleRequest, name: string): unknown {
  return (body?.value as Readonly<Record<string, unknown>> | undefined)?.[name];
}
