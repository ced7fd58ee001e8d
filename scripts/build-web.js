#!/usr/bin/env node
// Builds the web application into web/dist. npm runs it after an installation (`prepare`). Without the development
// packages there is nothing to build with: an installation for production has the built files, or the server says how to
// build them. Plain JavaScript: it must run on any Node.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

if (existsSync(path('node_modules/vite'))) {
  const { build } = await import('vite');
  // A running server reads the files of the last build until the new ones are complete.
  const [current, built, old] = ['dist', `dist-${process.pid}-new`, `dist-${process.pid}-old`].map(
    (name) => path(`web/${name}`),
  );
  try {
    await build({
      configFile: path('web/vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: built },
    });
    if (existsSync(current)) renameSync(current, old);
    renameSync(built, current);
  } finally {
    for (const folder of [built, old]) rmSync(folder, { recursive: true, force: true });
  }
} else if (!existsSync(path('web/dist/files.json'))) {
  process.stdout.write(
    'The web application is not built: that needs the development packages (npm ci).\n',
  );
}
