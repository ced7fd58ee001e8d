#!/usr/bin/env node
// Compiles the program of analysis workers into build/. npm runs it after an installation (`prepare`). Without the
// development packages there is no compiler, and workers run the sources. Plain JavaScript: it must run on any Node.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const compiler = path('node_modules/typescript/bin/tsc');

if (existsSync(compiler)) {
  rmSync(path('build'), { recursive: true, force: true });
  const { status } = spawnSync(process.execPath, [compiler, '-p', path('tsconfig.worker.json')], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
