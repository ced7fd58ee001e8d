import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Package, Registry } from './packages.ts';

const run = promisify(execFile);
const MAX_FETCH_MS = 300_000;

/**
 * The ordinary client of a registry, with the registry that this machine is configured for. It puts
 * the content of each package into the folder that `folderOf` gives, and throws if it fails.
 */
export interface Client {
  /** How many packages a call fetches. */
  readonly batch: number;
  fetch(packages: readonly Package[], folderOf: (one: Package) => string): Promise<void>;
}

async function runIn(cwd: string, program: string, ...args: readonly string[]): Promise<void> {
  await run(program, args, { cwd, timeout: MAX_FETCH_MS, maxBuffer: 64 * 1024 * 1024 });
}

/** A client that fetches an archive, and the program that unpacks it. */
function oneByOne(
  download: (one: Package, folder: string) => Promise<void>,
  unpack: (archive: string, folder: string) => Promise<void>,
): Client {
  return {
    batch: 1,
    async fetch(packages, folderOf) {
      for (const one of packages) {
        const folder = folderOf(one);
        await download(one, folder);
        for (const archive of readdirSync(folder)) await unpack(archive, folder);
      }
    },
  };
}

/** Archives of Debian keep only the newest version of a release, so another one is accepted. */
async function downloadDebian({ name, version }: Package, folder: string): Promise<void> {
  try {
    await runIn(folder, 'apt-get', 'download', `${name}=${version}`);
  } catch {
    await runIn(folder, 'apt-get', 'download', name);
  }
}

const PIP = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps'];
/** Wheels that a CPython for 64-bit Windows installs. */
const WINDOWS = ['--platform', 'win_amd64', '--python-version', '3.11', '--only-binary=:all:'];

/** One build with all packages as dependencies: a start of Maven takes seconds. */
function pomOf(packages: readonly Package[]): string {
  const dependencies = packages.map(({ name, version }) => {
    const [group, artifact] = name.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
  });
  return `<project><modelVersion>4.0.0</modelVersion><groupId>ordinary</groupId><artifactId>files</artifactId><version>1</version><dependencies>${dependencies.join('\n')}</dependencies></project>`;
}

const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';

const maven: Client = {
  batch: Number.POSITIVE_INFINITY,
  async fetch(packages, folderOf) {
    const [first] = packages;
    if (first === undefined) return;
    const work = folderOf(first);
    writeFileSync(join(work, 'pom.xml'), pomOf(packages));
    const options = ['-DexcludeTransitive', '-DoutputDirectory=jars'];
    await runIn(work, 'mvn', '--quiet', '--batch-mode', COPY, ...options);
    for (const one of packages) {
      const jar = `${one.name.split(':')[1]}-${one.version}.jar`;
      renameSync(join(work, 'jars', jar), join(folderOf(one), jar));
    }
  },
};

export const CLIENTS: Readonly<Record<Registry, Client>> = {
  Debian: oneByOne(downloadDebian, (archive, folder) =>
    runIn(folder, 'dpkg-deb', '--extract', archive, 'content'),
  ),
  PyPI: oneByOne(
    ({ name, version }, folder) =>
      runIn(folder, 'python3', ...PIP, ...WINDOWS, '--dest', '.', `${name}==${version}`),
    (archive, folder) => runIn(folder, 'python3', '-m', 'zipfile', '--extract', archive, 'content'),
  ),
  npm: oneByOne(
    ({ name, version }, folder) => runIn(folder, 'npm', 'pack', '--silent', `${name}@${version}`),
    (archive, folder) => {
      mkdirSync(join(folder, 'content'));
      return runIn(folder, 'tar', '--extract', '--file', archive, '--directory', 'content');
    },
  ),
  Maven: maven,
};
