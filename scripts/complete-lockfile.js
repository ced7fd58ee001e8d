#!/usr/bin/env node
// A registry mirror may lack the optional packages of platforms it does not serve. `npm install` then
// leaves them out of package-lock.json, and `npm ci` of npm 11 refuses the lockfile it wrote itself.
// This adds the missing ones by name, version, os and cpu; npm skips them wherever they do not fit.
// Run it after every `npm install` that changes the lockfile. Plain JavaScript: it must run on any Node.
import { readFileSync, writeFileSync } from 'node:fs';

const SYSTEMS = [
  'linux',
  'darwin',
  'win32',
  'android',
  'freebsd',
  'netbsd',
  'openbsd',
  'sunos',
  'openharmony',
  'aix',
];
const PROCESSORS = [
  'arm64',
  'x64',
  'arm',
  'ia32',
  'ppc64',
  'riscv64',
  's390x',
  'loong64',
  'mips64el',
  'wasm32',
];

const path = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8'));
let added = 0;

for (const [place, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (
      place === '' ||
      lock.packages[key] !== undefined ||
      lock.packages[`${place}/${key}`] !== undefined
    )
      continue;
    const words = name.split(/[-/]/);
    const os = SYSTEMS.filter((system) => words.includes(system));
    const cpu = PROCESSORS.filter((processor) => words.includes(processor));
    if (os.length === 0 && cpu.length === 0) throw new Error(`cannot tell the platform of ${name}`);
    lock.packages[key] = {
      version,
      ...(cpu.length > 0 && { cpu }),
      ...(entry.dev && { dev: true }),
      optional: true,
      ...(os.length > 0 && { os }),
    };
    added += 1;
  }
}

const root = lock.packages[''];
const sorted = Object.keys(lock.packages)
  .filter((key) => key !== '')
  .sort();
lock.packages = { '': root, ...Object.fromEntries(sorted.map((key) => [key, lock.packages[key]])) };
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added} optional packages of other platforms added to package-lock.json\n`);
