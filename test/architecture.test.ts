import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, posix } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  firstRing,
  type Import,
  readImports,
  type SourceFile,
  targetOf,
  withoutComments,
} from './imports.ts';

/**
 * Who may import whom (section 4 of the conventions), as data:
 *
 *   domain ← ports ← operations ← http, jobs ← server ← cli
 *
 * `values` may be imported outright, of `types` only the types. What a layer says of packages and
 * of Node's own modules is all that it may use of them; a layer that says nothing may use any.
 */
interface Layer {
  readonly values: readonly string[];
  readonly types?: readonly string[];
  readonly packages?: readonly string[];
  readonly node?: readonly string[];
}

/** Only `server` and `cli` create them. The layers above `domain` may import their types. */
const BUILT = ['config', 'observability'];
/** Modules of Node without clock, files, network or randomness. */
const PURE = ['node:buffer', 'node:crypto', 'node:url', 'node:util', 'node:zlib'];
/** They implement ports. Only `server` imports them. */
const ADAPTERS = ['storage', 'queue', 'sample-files', 'analysis', 'outgoing'];

/** Durable files and pauses: functions over Node's own modules, for every layer that does I/O. */
const PLATFORM = 'platform';

const adapter: Layer = { values: ['domain', 'ports', PLATFORM], types: BUILT };

const LAYERS: Readonly<Record<string, Layer>> = {
  domain: { values: [], packages: [], node: PURE },
  ports: { values: ['domain'], types: BUILT, packages: [], node: PURE },
  operations: { values: ['domain', 'ports'], types: BUILT, packages: [] },
  exports: { values: ['domain'], packages: [], node: PURE },
  platform: { values: [], packages: [] },
  storage: adapter,
  // Jobs are added in the transactions of the store.
  queue: { ...adapter, values: [...adapter.values, 'storage'] },
  'sample-files': adapter,
  analysis: adapter,
  outgoing: adapter,
  http: { values: ['domain', 'ports', 'operations', 'exports', PLATFORM], types: BUILT },
  jobs: { values: ['domain', 'ports', 'operations', PLATFORM], types: BUILT },
  config: { values: ['domain'] },
  observability: { values: ['domain'], types: ['config'] },
  server: {
    values: [
      'domain',
      'ports',
      'operations',
      'exports',
      PLATFORM,
      'http',
      'jobs',
      ...BUILT,
      ...ADAPTERS,
    ],
  },
  cli: {
    values: [
      'domain',
      'ports',
      'operations',
      'exports',
      PLATFORM,
      'http',
      'jobs',
      ...BUILT,
      'server',
      'client',
    ],
  },
  // Browsers run it too.
  client: { values: [], packages: [], node: [] },
  web: { values: ['client'], node: [] },
};

/** Packages that are at home in some layers and stay unseen by all others. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  kysely: ['storage', 'queue'],
  pg: ['storage', 'queue'],
  'pg-boss': ['queue'],
  '@aws-sdk': ['sample-files'],
  fastify: ['http'],
  'prom-client': ['observability'],
  pino: ['observability'],
};

/** `src/http/routes/feed.ts` is part of `http`, and `src/config.ts` of `config`. */
function layerOf(path: string): string | undefined {
  const [top = '', second = ''] = path.split('/');
  const layer = top === 'src' ? second.replace(/\.ts$/, '') : top;
  return Object.hasOwn(LAYERS, layer) ? layer : undefined;
}

function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || path.startsWith('test/');
}

/** The rule that an import breaks, or nothing. */
function brokenRule(file: SourceFile, imported: Import): string | undefined {
  const name = layerOf(file.path);
  const layer = name === undefined ? undefined : LAYERS[name];
  if (name === undefined || layer === undefined) return 'a file belongs to one of the layers';
  if (imported.from.startsWith('.')) return brokenByOurs(name, layer, file, imported);
  if (imported.from.startsWith('node:')) {
    return layer.node === undefined || layer.node.includes(imported.from)
      ? undefined
      : `${name} uses of Node ${layer.node.join(', ') || 'nothing'}`;
  }
  if (imported.from === '(computed)' && RELOADS.includes(file.path)) return undefined;
  return brokenByPackage(name, layer, imported);
}

/**
 * These load a package that they also name in a type once more, to get a new instance of its
 * WebAssembly.
 */
const RELOADS = ['src/analysis/rules/rules.ts'];

function brokenByOurs(
  name: string,
  layer: Layer,
  file: SourceFile,
  imported: Import,
): string | undefined {
  const path = targetOf(file, imported);
  if (isTest(path)) return 'only tests import tests';
  const target = layerOf(path);
  if (target === undefined) return 'nothing is imported that belongs to no layer';
  if (target === name || layer.values.includes(target)) return undefined;
  const types = layer.types ?? [];
  if (types.includes(target) && imported.typeOnly) return undefined;
  const allowed = [...layer.values, ...types.map((other) => `types of ${other}`)];
  return `${name} may import ${allowed.join(', ') || 'nothing of ours'}`;
}

function brokenByPackage(name: string, layer: Layer, { from }: Import): string | undefined {
  if (from === '(computed)') return 'an import names what it imports';
  if (layer.packages !== undefined && !layer.packages.includes(from))
    return `${name} uses ${layer.packages.join(', ') || 'no'} packages`;
  const [whole = ''] = from.split('/');
  const family = /^@fastify$|^fastify-/.test(whole) ? 'fastify' : whole;
  const homes = HOMES[family];
  return homes === undefined || homes.includes(name)
    ? undefined
    : `${family} is at home in ${homes.join(', ')}`;
}

/** The first import that breaks a rule, in words. */
function firstWrongImport(files: readonly SourceFile[]): string | undefined {
  for (const file of files) {
    if (isTest(file.path)) continue;
    for (const imported of readImports(file.text)) {
      const rule = brokenRule(file, imported);
      if (rule !== undefined) return `${file.path} imports ${imported.from}: ${rule}`;
    }
  }
  return undefined;
}

/**
 * However it is spelled: `process.env`, `process['env']`, `{ env } = process`, `env` of
 * `node:process`.
 */
const ENVIRONMENT =
  /\bprocess\s*(?:\??\.\s*|(?:\?\.)?\[\s*['"`])env\b|\benv\b[^;]*\}\s*=\s*(?:globalThis\.)?process\b|\benv\b[^;]*\bfrom\s*['"](?:node:)?process['"]/;

function readsEnvironment({ text }: SourceFile): boolean {
  return ENVIRONMENT.test(withoutComments(text));
}

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = globSync(['src/**/*.ts', 'web/**/*.{ts,tsx}'], {
  cwd: root,
  exclude: (name) => basename(name) === 'node_modules',
})
  .sort()
  .map((path): SourceFile => ({ path, text: readFileSync(`${root}${path}`, 'utf8') }));

function fake(path: string, text: string): SourceFile {
  return { path, text };
}

describe('the source', () => {
  it('belongs to a layer, all of it', () => {
    const others = sources.filter(({ path }) => !isTest(path) && layerOf(path) === undefined);
    assert.deepEqual(
      others.map(({ path }) => path),
      [],
    );
  });

  it('imports only what its layer may', () => {
    assert.equal(firstWrongImport(sources), undefined);
  });

  it('has no ring of imports', () => {
    assert.equal(firstRing(sources)?.join(' → '), undefined);
  });

  it('has no folder for things that belong nowhere', () => {
    const folders = ['src', 'test', 'web', 'bench', 'scripts'].flatMap((top) =>
      existsSync(`${root}${top}`)
        ? globSync(`${top}/**/{utils,common,helpers,lib}/`, { cwd: root })
        : [],
    );
    assert.deepEqual(folders, []);
  });

  it('has an index only where it is a list', () => {
    const lists = [
      'src/cli/commands',
      'src/exports',
      'src/analysis/extractors',
      'src/analysis/formats',
    ];
    const indexes = sources.map(({ path }) => path).filter((path) => /\/index\.tsx?$/.test(path));
    assert.deepEqual(
      indexes.filter((path) => !lists.includes(posix.dirname(path))),
      [],
    );
  });

  it('reads the environment in one place', () => {
    const readers = sources.filter(({ path }) => !isTest(path)).filter(readsEnvironment);
    assert.deepEqual(
      readers.map(({ path }) => path),
      ['src/config.ts'],
    );
  });
});

/** `deps.store`, or `store` destructured from `deps`. */
const STORE_USE = /\bdeps\.store\b|\bstore\b[^;{}]*\}\s*=\s*(?:this\.#)?deps\b/;

function usesStore({ text }: SourceFile): boolean {
  return STORE_USE.test(withoutComments(text));
}

describe('the routes and the gate', () => {
  it('call operations and never a store', () => {
    const guarded = sources.filter(
      ({ path }) => /^src\/http\/(?:routes|gate)\//.test(path) && !isTest(path),
    );
    assert.ok(guarded.length > 0);
    assert.deepEqual(
      guarded.filter(usesStore).map(({ path }) => path),
      [],
    );
  });

  for (const text of ['deps.store.check();', 'const { store, now } = deps;']) {
    it(`catches ${text}`, () => assert.equal(usesStore(fake('src/a.ts', text)), true));
  }

  it('allows to hand over all dependencies', () => {
    assert.equal(usesStore(fake('src/a.ts', '// deps.store\nawait checkStore(deps);')), false);
  });
});

describe('the migrations', () => {
  const dialects = ['sqlite', 'postgres'].filter((name) => existsSync(`${root}migrations/${name}`));
  const namesOf = (dialect: string) => readdirSync(`${root}migrations/${dialect}`).sort();

  it('have the same names for every database', () => {
    const [first = '', ...others] = dialects;
    for (const dialect of others) assert.deepEqual(namesOf(dialect), namesOf(first));
  });

  for (const dialect of dialects) {
    it(`of ${dialect} are numbered without a gap`, () => {
      for (const [index, name] of namesOf(dialect).entries()) {
        assert.match(name, /^\d{4}-[a-z0-9]+(?:-[a-z0-9]+)*\.sql$/);
        assert.equal(Number(name.slice(0, 4)), index + 1, name);
      }
    });

    it(`of ${dialect} have their statements in lower case`, () => {
      for (const name of namesOf(dialect)) {
        const sql = readFileSync(`${root}migrations/${dialect}/${name}`, 'utf8');
        const statements = sql
          .replace(/--.*$/gm, '')
          .replace(/'(?:[^']|'')*'/g, "''")
          .replace(/"[^"]*"/g, '""');
        assert.equal(statements, statements.toLowerCase(), name);
      }
    });
  }
});

describe('the check of imports', () => {
  const wrong: readonly [path: string, text: string, rule: string][] = [
    ['src/domain/a.ts', `import { b } from '../ports/b.ts';`, 'domain may import nothing of ours'],
    [
      'src/domain/a.ts',
      `import type { B } from '../config.ts';`,
      'domain may import nothing of ours',
    ],
    ['src/domain/a.ts', `import { z } from 'zod';`, 'domain uses no packages'],
    [
      'src/domain/a.ts',
      `import { readFileSync } from 'node:fs';`,
      'domain uses of Node node:buffer, node:crypto, node:url, node:util, node:zlib',
    ],
    [
      'src/operations/a.ts',
      `import type { Store } from '../storage/store.ts';`,
      'operations may import domain, ports, types of config, types of observability',
    ],
    ['src/operations/a.ts', `import { sql } from 'kysely';`, 'operations uses no packages'],
    ['src/http/a.ts', `import { sql } from 'kysely';`, 'kysely is at home in storage, queue'],
    ['src/storage/a.ts', `import swagger from '@fastify/swagger';`, 'fastify is at home in http'],
    [
      'src/http/a.ts',
      `import { openSqliteStore } from '../storage/sqlite/open.ts';`,
      'http may import domain, ports, operations, exports, platform, types of config, types of observability',
    ],
    [
      'src/http/a.ts',
      `import { createMetrics, type Metrics } from '../observability/metrics.ts';`,
      'http may import domain, ports, operations, exports, platform, types of config, types of observability',
    ],
    ['src/exports/a.ts', `import { b } from '../http/present.ts';`, 'exports may import domain'],
    [
      'src/client/a.ts',
      `export type { B } from '../domain/b.ts';`,
      'client may import nothing of ours',
    ],
    ['web/pages/a.tsx', `import { b } from '../../src/http/b.ts';`, 'web may import client'],
    ['src/server/a.ts', `import { b } from '../cli/main.ts';`, 'server may import domain'],
    ['src/cli/a.ts', `import { b } from '../storage/b.ts';`, 'cli may import domain'],
    ['src/other/a.ts', `import { b } from './b.ts';`, 'a file belongs to one of the layers'],
    ['src/http/a.ts', `import { b } from '../../scripts/http/b.ts';`, 'that belongs to no layer'],
    ['src/http/a.ts', `import { version } from '../../package.json';`, 'that belongs to no layer'],
    ['src/other.ts', `import { b } from './domain/b.ts';`, 'a file belongs to one of the layers'],
    ['src/http/a.ts', `import { b } from '../../test/builders.ts';`, 'only tests import tests'],
    ['src/http/a.ts', `import { b } from './b.test.ts';`, 'only tests import tests'],
    ['src/http/a.ts', `const b = await import(name);`, 'an import names what it imports'],
    ['src/http/a.ts', "const b = await import('../' + name);", 'an import names what it imports'],
  ];
  for (const [path, text, rule] of wrong) {
    it(`catches ${text} in ${path}`, () => {
      const found = firstWrongImport([fake(path, text)]) ?? 'nothing';
      assert.ok(found.startsWith(`${path} imports `), found);
      assert.match(found, new RegExp(`: .*${rule}`));
    });
  }

  const spellings = [
    `import b from '../storage/b.ts';`,
    `import * as b from "../storage/b.ts";`,
    `import {\n  type A,\n  b,\n} from '../storage/b.ts';`,
    `import a, { type B } from '../storage/b.ts';`,
    `import type from '../storage/b.ts';`,
    `import '../storage/b.ts';`,
    `export { b } from '../storage/b.ts';`,
    `export * from '../storage/b.ts';`,
    `export type { B } from '../storage/b.ts';`,
    `import b from '../storage/b.json' with { type: 'json' };`,
    `const b = await import('../storage/b.ts');`,
    `type B = import('../storage/b.ts').B;`,
    `// why\nimport { b } from '../storage/b.ts'; // because`,
    `/* a */\n  import { b } from '../storage/b.ts';`,
    `export const a = 1;\nimport { b } from '../storage/b.ts';`,
    `import { a } from './a.ts'; import './c.ts'; import { b } from '../storage/b.ts';`,
  ];
  for (const text of spellings) {
    it(`sees ${JSON.stringify(text)}`, () => {
      assert.match(
        firstWrongImport([fake('src/jobs/a.ts', text)]) ?? '',
        /imports \.\.\/storage\/b/,
      );
    });
  }

  const right: readonly [path: string, text: string][] = [
    ['src/domain/a.ts', `import { b } from './b.ts';\nimport { hash } from 'node:crypto';`],
    ['src/http/a.ts', `import type { Metrics } from '../observability/metrics.ts';`],
    ['src/http/a.ts', `import { type A, type B } from '../config.ts';`],
    [
      'src/http/routes/a.ts',
      `import { b } from '../../operations/b.ts';\nimport fastify from 'fastify';`,
    ],
    ['src/server/first-admin.ts', `import { b } from './storage/b.ts';`],
    [
      'src/cli/a.ts',
      `import { b } from '../client/b.ts';\nimport { c } from '../server/start-service.ts';`,
    ],
    ['src/http/a.test.ts', `import { b } from '../storage/b.ts';`],
    ['src/domain/a.ts', `// import { b } from '../storage/b.ts';`],
    ['src/domain/a.ts', `/**\n * import { b } from '../storage/b.ts';\n */`],
    ['src/domain/a.ts', `const from = 'x'; const text = "import b from 'y'";`],
    ['src/domain/a.ts', `export function from(a: string) {\n  return a + '../storage/b.ts';\n}`],
  ];
  for (const [path, text] of right) {
    it(`allows ${JSON.stringify(text)} in ${path}`, () => {
      assert.equal(firstWrongImport([fake(path, text)]), undefined);
    });
  }

  it('names the first wrong import of the first wrong file', () => {
    const files = [
      fake('src/domain/a.ts', `import { b } from './b.ts';`),
      fake('src/domain/b.ts', `import { c } from './c.ts';\nimport { d } from '../http/d.ts';`),
      fake('src/domain/c.ts', `import { e } from '../http/e.ts';`),
    ];
    assert.equal(
      firstWrongImport(files),
      'src/domain/b.ts imports ../http/d.ts: domain may import nothing of ours',
    );
  });
});

describe('the check of rings', () => {
  const from = (path: string) => `import type { X } from '${path}';`;

  it('finds one of types as well', () => {
    const files = [
      fake('src/domain/a.ts', from('./b.ts')),
      fake('src/domain/b.ts', from('./c.ts')),
      fake('src/domain/c.ts', from('./b.ts')),
    ];
    assert.deepEqual(firstRing(files), ['src/domain/b.ts', 'src/domain/c.ts', 'src/domain/b.ts']);
  });

  it('finds none where two ways lead to one file', () => {
    const files = [
      fake('src/domain/a.ts', `${from('./b.ts')}\n${from('./c.ts')}`),
      fake('src/domain/b.ts', from('./d.ts')),
      fake('src/domain/c.ts', from('./d.ts')),
      fake('src/domain/d.ts', ''),
    ];
    assert.equal(firstRing(files), undefined);
  });
});

describe('the check of the environment', () => {
  for (const text of [
    'const a = process.env.A;',
    "const a = process['env'].A;",
    'const a = process?.env;',
    'const { env } = process;',
    "import { env } from 'node:process';",
  ]) {
    it(`catches ${text}`, () => assert.equal(readsEnvironment(fake('src/a.ts', text)), true));
  }

  for (const text of ['process.exitCode = 1;', '// process.env', 'const environment = {};']) {
    it(`allows ${text}`, () => assert.equal(readsEnvironment(fake('src/a.ts', text)), false));
  }
});
