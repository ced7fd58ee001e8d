import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { EXAMPLE_ACCOUNT } from '../src/http/openapi/example-objects.ts';
import { Site } from './browser/site.ts';

/**
 * Generates clients from the OpenAPI document with the generators that others use, compiles them,
 * and calls five operations of a server with a demo store. A generator that is not installed is
 * skipped by name: `OPENAPI_PYTHON` is a Python with openapi-python-client, `OAPI_CODEGEN` the
 * program of that name, for which Go is needed, and npm fetches openapi-typescript.
 */
const PROGRAMS = fileURLToPath(new URL('generated-clients/', import.meta.url));
const DOCUMENT = fileURLToPath(new URL('../docs/openapi.json', import.meta.url));
const OPENAPI_TYPESCRIPT = [
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  'typescript@5.9.3',
];
const GO_RUNTIME = 'github.com/oapi-codegen/runtime@v1.8.0';

const execute = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'rapsheet-generated-'));

interface Server {
  readonly RAPSHEET_URL: string;
  readonly RAPSHEET_TOKEN: string;
}

/** The commands run in a folder of the language. */
interface Generated {
  readonly language: string;
  /** Why it is skipped, if it is. */
  readonly lacks: string | undefined;
  readonly program: string;
  readonly prepare?: (cwd: string) => void;
  readonly commands: readonly (readonly string[])[];
}

const { OPENAPI_PYTHON: python = '', OAPI_CODEGEN: codegen = '', GO: go = 'go' } = process.env;

const GENERATED: readonly Generated[] = [
  {
    language: 'Python, openapi-python-client',
    lacks: python === '' ? 'OPENAPI_PYTHON is not set' : undefined,
    program: 'calls.py',
    commands: [
      [python, '-m', 'openapi_python_client', 'generate', `--path=${DOCUMENT}`, '--meta=none'],
      [python, '-m', 'compileall', '-q', 'rapsheet_client'],
      [python, 'calls.py'],
    ],
  },
  {
    language: 'Go, oapi-codegen',
    lacks: codegen === '' ? 'OAPI_CODEGEN is not set' : undefined,
    program: 'calls.go',
    prepare: (cwd) => mkdirSync(join(cwd, 'rapsheet')),
    commands: [
      [codegen, '-generate=types,client', '-package=rapsheet', '-o=rapsheet/client.go', DOCUMENT],
      [go, 'mod', 'init', 'example.org/calls'],
      [go, 'get', GO_RUNTIME],
      [go, 'mod', 'tidy'],
      [go, 'vet', './...'],
      [go, 'run', '.'],
    ],
  },
  {
    language: 'TypeScript, openapi-typescript',
    lacks: undefined,
    program: 'calls.mts',
    prepare: (cwd) => writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }'),
    commands: [
      ['npm', 'install', '--no-fund', '--no-audit', '@types/node@26.6.6', ...OPENAPI_TYPESCRIPT],
      ['node_modules/.bin/openapi-typescript', DOCUMENT, '-o', 'openapi.d.ts'],
      [
        'node_modules/.bin/tsc',
        ...['--strict', '--noEmit', '--allowImportingTsExtensions', '--exactOptionalPropertyTypes'],
        ...['--module', 'nodenext', '--target', 'es2024', 'calls.mts', 'openapi.d.ts'],
      ],
      [process.execPath, 'calls.mts'],
    ],
  },
];

async function run(generated: Generated, server: Server): Promise<void> {
  const cwd = join(folder, generated.program);
  mkdirSync(cwd);
  cpSync(join(PROGRAMS, generated.program), join(cwd, generated.program));
  generated.prepare?.(cwd);
  let printed = '';
  for (const [file = '', ...args] of generated.commands) {
    const env = { ...process.env, ...server };
    printed = (await execute(file, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 })).stdout;
  }
  if (printed !== '5 operations\n') throw new Error(`printed ${printed}`);
}

async function check(): Promise<void> {
  const site = new Site();
  try {
    const { accounts } = await site.fillWithDemo();
    const { token = '' } = accounts.find(({ name }) => name === EXAMPLE_ACCOUNT) ?? {};
    await site.start();
    for (const generated of GENERATED) {
      if (generated.lacks !== undefined) {
        console.log(`skipped  ${generated.language}: ${generated.lacks}`);
        continue;
      }
      await run(generated, { RAPSHEET_URL: site.url, RAPSHEET_TOKEN: token });
      console.log(`passed   ${generated.language}: compiled, 5 operations called`);
    }
  } finally {
    await site.close();
  }
}

try {
  await check();
} catch (error) {
  const { message, stdout = '', stderr = '' } = error as Error & Record<string, string>;
  console.error([message, stdout, stderr].join('\n'));
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
