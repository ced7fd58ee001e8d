import { availableParallelism, homedir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { moduleFiles, packageFiles, systemBinaries } from '../test/analysis/ordinary-files.ts';
import { type FetchedPackage, fetchPackages, REGISTRIES } from './false-positives/fetch.ts';
import { analyseFiles } from './false-positives/pool.ts';
import { Tally } from './false-positives/tally.ts';

/**
 * Runs the whole engine, rules and unpacking included, over benign files: those of this machine, of
 * the dependencies, and of the packages in `false-positives/packages.json`, which are fetched with
 * the clients of their registries. Fails if a file is reported as a family or has settings, or has
 * a tag of heat 7 or 8 without an entry in `false-positives/exceptions.ts`.
 *
 * `--most` files of the machine and of the dependencies each, `--largest` in megabytes. `--write`
 * updates docs/extending/false-positives.md.
 */
const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    most: { type: 'string', default: '1500' },
    largest: { type: 'string', default: '16' },
    processes: { type: 'string', default: String(availableParallelism()) },
    cache: { type: 'string', default: join(homedir(), '.cache', 'rapsheet-false-positives') },
    write: { type: 'boolean', default: false },
  },
});
const maxFiles = Number(values.most);
const maxBytes = Number(values.largest) * 1024 * 1024;
const PROGRESS_MS = 10_000;

interface OrdinaryFile {
  readonly path: string;
  readonly source: string;
  /** The name in the output and in the list of exceptions. */
  readonly name: string;
}

function* localFiles(): Generator<OrdinaryFile> {
  for (const path of systemBinaries(maxBytes).take(maxFiles))
    yield { path, source: 'this machine', name: path };
  for (const path of modules().take(maxFiles))
    yield { path, source: 'node_modules', name: `node_modules/${relative('node_modules', path)}` };
}

/** Programs of node_modules first, then its many scripts, up to the limit. */
function* modules(): Generator<string> {
  const scripts: string[] = [];
  for (const path of moduleFiles(maxBytes)) {
    if (/\.[cm]?js$/.test(path)) scripts.push(path);
    else yield path;
  }
  yield* scripts;
}

function* filesOf({ registry, name, folder }: FetchedPackage): Generator<OrdinaryFile> {
  const content = join(folder, registry === 'Maven' ? '' : 'content');
  for (const path of packageFiles(folder, maxBytes))
    if (path.startsWith(content))
      yield { path, source: registry, name: `${registry}/${name}/${relative(content, path)}` };
}

const fetched = await Promise.all(
  REGISTRIES.map((registry) => fetchPackages(registry, values.cache, values.short)),
);
function* allFiles(): Generator<OrdinaryFile> {
  yield* localFiles();
  for (const one of fetched.flat()) yield* filesOf(one);
}

const tally = new Tally();
const progress = setInterval(() => console.error(tally.progress()), PROGRESS_MS);
try {
  await analyseFiles(allFiles(), Number(values.processes), (file, findings) =>
    tally.add(file, findings),
  );
} finally {
  clearInterval(progress);
}
console.log(tally.text());
if (values.write) tally.write();
if (!tally.isClean) process.exitCode = 1;
