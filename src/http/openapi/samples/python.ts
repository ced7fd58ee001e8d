import { type ExampleRequest, exampleTarget } from './example-request.ts';
import { type Argument, Call, Code, PYTHON, write } from './literals.ts';

/** The operations for which `clients/python` has no method. */
const LEFT_OUT_TAGS = ['Administration', 'Health'];
const LEFT_OUT_PATHS = /^\/(?:taxii2|misp|threatfox)(?:\/|$)/;
const LEFT_OUT = ['signIn', 'session', 'signOut', 'endSessions', 'streamTicket', 'allStreamTicket'];

interface Special {
  readonly method: string;
  readonly args: (request: ExampleRequest) => readonly Argument[];
  /** What is imported besides the client. */
  readonly imports?: string;
  /** The result is iterated over, and this of each item is printed. */
  readonly printed?: string;
}

const ALL = { value: 'all' };

/** Methods whose name or arguments differ from the rule. */
const SPECIAL: Readonly<Record<string, Special>> = {
  createReport: {
    method: 'create_report',
    imports: 'NewReport',
    args: (request) => [...pathArguments(request), { value: newReport(request.body?.value) }],
  },
  previewReport: {
    method: 'preview_report',
    imports: 'NewReport',
    args: (request) => [...pathArguments(request), { value: newReport(request.body?.value) }],
  },
  createReports: {
    method: 'create_reports',
    imports: 'NewReport',
    printed: 'one.id or one.error',
    args: (request) => [
      ...pathArguments(request),
      { value: linesOf(request.body?.value).map(newReport) },
    ],
  },
  createFromXarf: {
    method: 'create_from_xarf',
    args: (request) => [...pathArguments(request), { value: request.body?.value }],
  },
  createFromMisp: {
    method: 'create_from_misp',
    args: (request) => [...pathArguments(request), { value: request.body?.value }],
  },
  listAllReports: { method: 'list_reports', args: (request) => [ALL, ...queryArguments(request)] },
  allStatistics: { method: 'feed_statistics', args: () => [ALL] },
  feedStream: { method: 'follow', printed: 'one', args: pathArguments },
  allStream: { method: 'follow', printed: 'one', args: () => [ALL] },
  exportFeed: {
    method: 'save_export',
    args: (request) => [...pathArguments(request), { value: 'reports.ndjson' }],
  },
  exportAllFeeds: {
    method: 'save_export',
    args: (request) => [ALL, ...pathArguments(request), { value: 'reports.ndjson' }],
  },
  downloadSample: {
    method: 'download_sample',
    args: (request) => [...pathArguments(request), { value: 'sample.zip' }],
  },
  upload: { method: 'upload', args: () => [{ value: 'sample.bin' }] },
  listProposals: { method: 'proposals', args: queryArguments },
};

/** The method of the Python client for an operation; `undefined` if there is none. */
function pythonMethod({ operationId, path, tags }: ExampleRequest): string | undefined {
  const isLeftOut =
    LEFT_OUT.includes(operationId) ||
    LEFT_OUT_PATHS.test(path) ||
    tags.some((tag) => LEFT_OUT_TAGS.includes(tag));
  return isLeftOut ? undefined : (SPECIAL[operationId]?.method ?? toSnakeCase(operationId));
}

export function pythonSample(request: ExampleRequest): string {
  const method = pythonMethod(request);
  return method === undefined ? plainSample(request) : clientSample(request, method);
}

function clientSample(request: ExampleRequest, method: string): string {
  const special = SPECIAL[request.operationId];
  const args = special?.args(request) ?? usualArguments(request);
  const call = new Call(`client.${method}`, args);
  const imports = special?.imports === undefined ? '' : `${special.imports}, `;
  const head = `from rapsheet import ${imports}Rapsheet\n\nclient = Rapsheet.from_environment()\n`;
  if (special?.printed !== undefined)
    return `${head}for one in ${write(call, PYTHON, 12)}:\n    print(${special.printed})`;
  return `${head}print(${write(call, PYTHON, 7)})`;
}

/** Without a method of the client: the HTTP library that the client uses. */
function plainSample(request: ExampleRequest): string {
  const { method, body, needsToken } = request;
  const target = exampleTarget(request, (name) => `{${name}}`);
  const json = body?.value !== undefined && typeof body.value !== 'string';
  const args: Argument[] = [
    { value: new Code(`f"{os.environ['RAPSHEET_URL']}${target}"`) },
    ...(needsToken ? [{ name: 'headers', value: headersOf(request) }] : []),
    ...(json && needsJson(request) ? [{ name: 'json', value: body.value }] : []),
    ...(body !== undefined && json && !needsJson(request)
      ? [{ name: 'content', value: new Call('json.dumps', [{ value: body.value }]) }]
      : []),
    ...(typeof body?.value === 'string' ? [{ name: 'content', value: body.value }] : []),
  ];
  const call = new Call(`httpx.${method.toLowerCase()}`, args);
  const imports = json && !needsJson(request) ? 'import json\nimport os\n' : 'import os\n';
  return `${imports}\nimport httpx\n\nanswer = ${write(call, PYTHON, 9)}\nprint(answer.text)`;
}

const needsJson = ({ body }: ExampleRequest) => body?.type === 'application/json';

function headersOf(request: ExampleRequest): object {
  const { body } = request;
  return {
    Authorization: new Code('os.environ["RAPSHEET_TOKEN"]'),
    ...(body !== undefined && !needsJson(request) && { 'Content-Type': body.type }),
  };
}

function usualArguments(request: ExampleRequest): readonly Argument[] {
  const members = request.body?.value;
  const named =
    typeof members === 'object' && members !== null
      ? Object.entries(members).map(([name, value]) => ({ name: toSnakeCase(name), value }))
      : [];
  return [...pathArguments(request), ...queryArguments(request), ...named];
}

function pathArguments({ pathParameters }: ExampleRequest): readonly Argument[] {
  return pathParameters.map(({ name, value }) => ({ value: value ?? new Code(name) }));
}

function queryArguments({ query }: ExampleRequest): readonly Argument[] {
  return query.map(({ name, value, isRequired }) =>
    isRequired ? { value } : { name: toSnakeCase(name), value },
  );
}

function newReport(members: unknown): Call {
  return new Call(
    'NewReport',
    Object.entries(members as object).map(([name, value]) => ({ name: toSnakeCase(name), value })),
  );
}

function linesOf(text: unknown): readonly unknown[] {
  return String(text)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

function toSnakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
}
