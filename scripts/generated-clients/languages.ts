import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROGRAMS = fileURLToPath(new URL('.', import.meta.url));
const DOCUMENT = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));
export const OPENAPI_TYPESCRIPT = [
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  'typescript@5.9.3',
];
const GO_RUNTIME = 'github.com/oapi-codegen/runtime@v1.8.0';

const execute = promisify(execFile);

export interface Server {
  readonly RAPSHEET_URL: string;
  readonly RAPSHEET_TOKEN: string;
}

/** The commands run in a folder of the language. */
export interface Generated {
  readonly language: string;
  /** Why it is skipped, if it is. */
  readonly lacks: string | undefined;
  readonly program: string;
  readonly prepare?: (cwd: string) => void;
  readonly commands: readonly (readonly string[])[];
}

const { OPENAPI_PYTHON: python = '', OAPI_CODEGEN: codegen = '', GO: go = 'go' } = process.env;

export const GENERATED: readonly Generated[] = [
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

/** Generates, compiles and calls, in a new folder. */
export async function runGenerated(generated: Generated, server: Server): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), 'rapsheet-generated-'));
  try {
    await runIn(cwd, generated, server);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

async function runIn(cwd: string, generated: Generated, server: Server): Promise<void> {
  cpSync(join(PROGRAMS, generated.program), join(cwd, generated.program));
  generated.prepare?.(cwd);
  let printed = '';
  for (const [file = '', ...args] of generated.commands) {
    const env = { ...process.env, ...server };
    printed = (await execute(file, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 })).stdout;
  }
  if (printed !== '5 operations\n') throw new Error(`printed ${printed}`);
}
