import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, posix } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  findImportCycle,
  type Import,
  readImports,
  type SourceFile,
  targetOf,
  withoutComments,
} from './imports.ts';

/**
 * The allowed imports between layers:
 *
 *   domain ← ports ← operations ← http, jobs ← server ← cli
 *
 * A layer may import anything from the layers in `values`, and only types from those in `types`.
 * `packages` and `node` restrict it to these packages and modules of Node.
 */
interface Layer {
  readonly values: readonly string[];
  readonly types?: readonly string[];
  readonly packages?: readonly string[];
  readonly node?: readonly string[];
}

/** Only `server` and `cli` create them. The layers above `domain` may import their types. */
const BUILT = ['config', 'observability'];
/** Modules of Node without I/O. `node:crypto` is for hashes, not for random bytes. */
const PURE = ['node:buffer', 'node:crypto', 'node:url', 'node:util', 'node:zlib'];
/** They implement ports. Only `server` imports them. */
const ADAPTERS = ['storage', 'queue', 'sample-files', 'analysis', 'networks', 'outgoing'];

/** Durable files and pauses: functions over Node's own modules, for every layer that does I/O. */
const PLATFORM = 'platform';

const adapter: Layer = { values: ['domain', 'ports', PLATFORM], types: BUILT };

const LAYERS: Readonly<Record<string, Layer>> = {
  // The Public Suffix List is a table, without I/O.
  domain: { values: [], packages: ['tldts'], node: PURE },
  ports: { values: ['domain'], types: BUILT, packages: [], node: PURE },
  operations: { values: ['domain', 'ports'], types: BUILT, packages: [] },
  exports: { values: ['domain'], packages: ['tldts'], node: PURE },
  platform: { values: [], packages: [] },
  storage: adapter,
  // Jobs are added in the transactions of the store.
  queue: { ...adapter, values: [...adapter.values, 'storage'] },
  'sample-files': adapter,
  analysis: adapter,
  networks: adapter,
  outgoing: adapter,
  http: { values: ['domain', 'ports', 'operations', 'exports', PLATFORM], types: BUILT },
  jobs: { values: ['domain', 'ports', 'operations', PLATFORM], types: BUILT },
  config: { values: ['domain'] },
  observability: { values: ['domain', PLATFORM], types: ['config'] },
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
  ...webLayers(),
  'web/main.tsx': { values: ['client', ...webFolders(), 'web/app'], node: [] },
  // Vite runs these on Node.
  'web/build': { values: [] },
};

/**
 * The application calls the server through `client` and imports nothing else of ours. Of its own
 * folders each imports the ones before it:
 *
 *   design ← text ← api ← components ← pages ← app
 */
function webFolders(): readonly string[] {
  return ['web/design', 'web/text', 'web/api', 'web/components', 'web/pages'];
}

function webLayers(): Readonly<Record<string, Layer>> {
  const folders = [...webFolders(), 'web/app'];
  const layers = folders.map((folder, index) => {
    const values = ['client', ...folders.slice(0, index)];
    return [folder, { values, node: [] }] as const;
  });
  return Object.fromEntries(layers);
}

/** Packages that only some layers may import. */
const PACKAGE_LAYERS: Readonly<Record<string, readonly string[]>> = {
  kysely: ['storage', 'queue'],
  pg: ['storage', 'queue'],
  'pg-boss': ['queue'],
  '@aws-sdk': ['sample-files'],
  fastify: ['http'],
  'prom-client': ['observability'],
  pino: ['observability'],
  'mmdb-lib': ['networks'],
};

/**
 * `src/http/routes/feed.ts` is part of `http`, `src/config.ts` of `config`, and
 * `web/src/pages/home/home-page.tsx` of `web/pages`.
 */
function layerOf(path: string): string | undefined {
  const [top = '', second = '', third = ''] = path.split('/');
  const layer =
    top === 'src'
      ? second.replace(/\.ts$/, '')
      : `web/${{ src: third, build: 'build', 'vite.config.ts': 'build' }[second]}`;
  return ['src', 'web'].includes(top) && Object.hasOwn(LAYERS, layer) ? layer : undefined;
}

function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || path.startsWith('test/');
}

/** Returns the rule that an import breaks, if any. */
function brokenRule(file: SourceFile, imported: Import): string | undefined {
  const name = layerOf(file.path);
  const layer = name === undefined ? undefined : LAYERS[name];
  if (name === undefined || layer === undefined) return 'the file belongs to no layer';
  if (imported.from.startsWith('.')) return brokenByLayer(name, layer, file, imported);
  if (imported.from.startsWith('node:')) {
    return layer.node === undefined || layer.node.includes(imported.from)
      ? undefined
      : `${name} may import ${layer.node.join(', ') || 'nothing'} of Node`;
  }
  if (imported.from === '(computed)' && RELOADS.includes(file.path)) return undefined;
  return brokenByPackage(name, layer, imported);
}

/**
 * These files import a package dynamically to get a new instance of its WebAssembly module. They
 * also import its types, which the check of packages covers.
 */
const RELOADS = ['src/analysis/rules/yara/yara.ts'];

function brokenByLayer(
  name: string,
  layer: Layer,
  file: SourceFile,
  imported: Import,
): string | undefined {
  const path = targetOf(file, imported);
  if (isTest(path)) return 'only tests may import tests';
  const target = layerOf(path);
  if (target === undefined) return 'the imported file belongs to no layer';
  if (target === name || layer.values.includes(target)) return undefined;
  const types = layer.types ?? [];
  if (types.includes(target) && imported.typeOnly) return undefined;
  const allowed = [...layer.values, ...types.map((other) => `types of ${other}`)];
  return `${name} may import ${allowed.join(', ') || 'no other layer'}`;
}

function brokenByPackage(name: string, layer: Layer, { from }: Import): string | undefined {
  if (from === '(computed)') return 'the path of an import must be a literal';
  if (layer.packages !== undefined && !layer.packages.includes(from))
    return `${name} may import ${layer.packages.join(', ') || 'no'} packages`;
  const [packageOrScope = ''] = from.split('/');
  const family = /^@fastify$|^fastify-/.test(packageOrScope) ? 'fastify' : packageOrScope;
  const layers = PACKAGE_LAYERS[family];
  return layers === undefined || layers.includes(name)
    ? undefined
    : `only ${layers.join(', ')} may import ${family}`;
}

/** Describes the first import that breaks a rule. */
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
 * Matches every spelling: `process.env`, `process['env']`, `{ env } = process`, `env` of
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
  it('has no file outside the layers', () => {
    const others = sources.filter(({ path }) => !isTest(path) && layerOf(path) === undefined);
    assert.deepEqual(
      others.map(({ path }) => path),
      [],
    );
  });

  it('imports only what its layer may', () => {
    assert.equal(firstWrongImport(sources), undefined);
  });

  it('has no import cycle', () => {
    assert.equal(findImportCycle(sources)?.join(' → '), undefined);
  });

  it('has no folder called utils, common, helpers or lib', () => {
    const folders = ['src', 'test', 'web', 'bench', 'scripts'].flatMap((top) =>
      existsSync(`${root}${top}`)
        ? globSync(`${top}/**/{utils,common,helpers,lib}/`, { cwd: root })
        : [],
    );
    assert.deepEqual(folders, []);
  });

  it('has an index only in folders whose index is a list', () => {
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

  it('reads the environment only in the configuration', () => {
    const readers = sources.filter(({ path }) => !isTest(path)).filter(readsEnvironment);
    assert.deepEqual(
      readers.map(({ path }) => path),
      // The last is the configuration of the development server.
      ['src/config.ts', 'src/config/program-path.ts', 'web/vite.config.ts'],
    );
  });
});

/**
 * The floors of storage. Each imports those before it:
 *
 *   schema ← units ← tables/<noun> ← transactions ← stores
 *
 * The nouns of `tables` do not import each other: what touches several is a transaction.
 */
const FLOORS = ['schema', 'units', 'tables', 'transactions', 'stores'];

function floorOf(path: string): { readonly floor: string; readonly noun: string } | undefined {
  const [, , floor = '', noun = ''] = /^src\/storage\//.test(path) ? path.split('/') : [];
  return FLOORS.includes(floor) ? { floor, noun } : undefined;
}

/** Returns the rule of the floors that an import breaks, if any. */
function brokenFloor(file: SourceFile, imported: Import): string | undefined {
  const from = floorOf(file.path);
  const path = imported.from.startsWith('.') ? targetOf(file, imported) : '';
  if (from === undefined || !path.startsWith('src/storage/')) return undefined;
  const to = floorOf(path);
  // The store is composed of everything.
  if (to === undefined)
    return from.floor === 'stores' ? undefined : `${from.floor} may import the floors below it`;
  if (FLOORS.indexOf(to.floor) > FLOORS.indexOf(from.floor))
    return `${from.floor} may not import ${to.floor}`;
  return from.floor === 'tables' && to.floor === 'tables' && from.noun !== to.noun
    ? `${from.noun} and ${to.noun} are joined in a transaction`
    : undefined;
}

/** One statement tells whether any work is pending, so it reads the tables of many nouns. */
const QUERY_OF_MANY_NOUNS = 'src/storage/transactions/find-pending-work.ts';

describe('storage', () => {
  it('goes down only, from a store to its last statement', () => {
    const wrong = sources
      .filter(({ path }) => !isTest(path))
      .flatMap((file) =>
        readImports(file.text).flatMap((imported) => {
          const rule = brokenFloor(file, imported);
          return rule === undefined ? [] : [`${file.path} imports ${imported.from}: ${rule}`];
        }),
      );
    assert.deepEqual(wrong, []);
  });

  it('has its queries in the tables', () => {
    const wrong = sources.filter(
      ({ path, text }) =>
        /^src\/storage\/(?:transactions|stores)\//.test(path) &&
        !isTest(path) &&
        /(?<![.#\w])query(?:<|\(\))/.test(withoutComments(text)),
    );
    assert.deepEqual(
      wrong.map(({ path }) => path),
      [QUERY_OF_MANY_NOUNS],
    );
  });

  const WRONG: readonly (readonly [path: string, from: string])[] = [
    ['src/storage/tables/reports/a.ts', '../samples/b.ts'],
    ['src/storage/tables/reports/a.ts', '../../transactions/reports/b.ts'],
    ['src/storage/tables/reports/listing/a.ts', '../../feeds/b.ts'],
    ['src/storage/units/a.ts', '../tables/reports/b.ts'],
    ['src/storage/transactions/a.ts', '../stores/store.ts'],
    ['src/storage/tables/reports/a.ts', '../../sqlite/open.ts'],
  ];
  for (const [path, from] of WRONG)
    it(`catches ${from} in ${path}`, () => {
      assert.notEqual(brokenFloor(fake(path, ''), { from, typeOnly: true }), undefined);
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

  it('allows passing all dependencies on', () => {
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
    ['src/domain/a.ts', `import { b } from '../ports/b.ts';`, 'domain may import no other layer'],
    [
      'src/domain/a.ts',
      `import type { B } from '../config.ts';`,
      'domain may import no other layer',
    ],
    ['src/domain/a.ts', `import { z } from 'zod';`, 'domain may import tldts packages'],
    [
      'src/domain/a.ts',
      `import { readFileSync } from 'node:fs';`,
      'domain may import node:buffer, node:crypto, node:url, node:util, node:zlib of Node',
    ],
    [
      'src/operations/a.ts',
      `import type { Store } from '../storage/store.ts';`,
      'operations may import domain, ports, types of config, types of observability',
    ],
    ['src/operations/a.ts', `import { sql } from 'kysely';`, 'operations may import no packages'],
    ['src/http/a.ts', `import { sql } from 'kysely';`, 'only storage, queue may import kysely'],
    ['src/storage/a.ts', `import swagger from '@fastify/swagger';`, 'only http may import fastify'],
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
      'client may import no other layer',
    ],
    [
      'web/src/pages/a.tsx',
      `import { b } from '../../../src/http/b.ts';`,
      'web/pages may import client, web/design, web/text, web/api, web/components',
    ],
    [
      'web/src/api/a.ts',
      `import type { Report } from '../../../src/domain/reports/report.ts';`,
      'web/api may import client, web/design, web/text',
    ],
    [
      'web/src/text/a.ts',
      `import { b } from '../api/client.ts';`,
      'web/text may import client, web/design',
    ],
    [
      'web/src/components/a.tsx',
      `const B = lazy(() => import('../pages/home/home-page.tsx'));`,
      'web/components may import client',
    ],
    ['web/src/pages/a.tsx', `import { b } from '../app/b.ts';`, 'web/pages may import client'],
    [
      'web/src/app/a.ts',
      `import { readFile } from 'node:fs/promises';`,
      'web/app may import nothing of Node',
    ],
    ['web/src/app/a.ts', `import { b } from '../../build/b.ts';`, 'web/app may import client'],
    [
      'web/src/app/a.ts',
      `import { b } from '../../../scripts/b.ts';`,
      'the imported file belongs to no layer',
    ],
    [
      'web/build/a.ts',
      `import { b } from '../../src/client/b.ts';`,
      'web/build may import no other layer',
    ],
    ['web/src/other/a.ts', `import { b } from './b.ts';`, 'the file belongs to no layer'],
    ['src/server/a.ts', `import { b } from '../cli/main.ts';`, 'server may import domain'],
    ['src/cli/a.ts', `import { b } from '../storage/b.ts';`, 'cli may import domain'],
    ['src/other/a.ts', `import { b } from './b.ts';`, 'the file belongs to no layer'],
    [
      'src/http/a.ts',
      `import { b } from '../../scripts/http/b.ts';`,
      'the imported file belongs to no layer',
    ],
    [
      'src/http/a.ts',
      `import { version } from '../../package.json';`,
      'the imported file belongs to no layer',
    ],
    ['src/other.ts', `import { b } from './domain/b.ts';`, 'the file belongs to no layer'],
    ['src/http/a.ts', `import { b } from '../../test/builders.ts';`, 'only tests may import tests'],
    ['src/http/a.ts', `import { b } from './b.test.ts';`, 'only tests may import tests'],
    ['src/http/a.ts', `const b = await import(name);`, 'the path of an import must be a literal'],
    [
      'src/http/a.ts',
      "const b = await import('../' + name);",
      'the path of an import must be a literal',
    ],
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
      `import { b } from '../client/b.ts';\nimport { c } from '../server/start-server.ts';`,
    ],
    [
      'web/src/pages/a/b.tsx',
      `import { c } from '../../../../src/client/c.ts';\nimport { d } from '../../api/d.ts';`,
    ],
    ['web/src/api/a.ts', `import { useQuery } from '@tanstack/react-query';`],
    ['web/src/main.tsx', `import './design/a.css';\nimport { b } from './app/b.tsx';`],
    ['web/vite.config.ts', `import { b } from './build/b.ts';\nimport fs from 'node:fs';`],
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
      'src/domain/b.ts imports ../http/d.ts: domain may import no other layer',
    );
  });
});

describe('the check of import cycles', () => {
  const from = (path: string) => `import type { X } from '${path}';`;

  it('finds a cycle of type imports', () => {
    const files = [
      fake('src/domain/a.ts', from('./b.ts')),
      fake('src/domain/b.ts', from('./c.ts')),
      fake('src/domain/c.ts', from('./b.ts')),
    ];
    assert.deepEqual(findImportCycle(files), [
      'src/domain/b.ts',
      'src/domain/c.ts',
      'src/domain/b.ts',
    ]);
  });

  it('finds no cycle if two paths lead to one file', () => {
    const files = [
      fake('src/domain/a.ts', `${from('./b.ts')}\n${from('./c.ts')}`),
      fake('src/domain/b.ts', from('./d.ts')),
      fake('src/domain/c.ts', from('./d.ts')),
      fake('src/domain/d.ts', ''),
    ];
    assert.equal(findImportCycle(files), undefined);
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
