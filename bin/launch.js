// Starts the command line on a Node that can run it: this one if it is new enough, else the pinned one
// that the package brings for linux x64 and arm64. The server gets its flags, so it always gets a process of its own.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isNewEnough, TOO_OLD } from './runtime.js';

// Those of `npm start`: what dies young is kept small enough for the processor's caches.
const FLAGS = process.argv[2] === 'serve' ? ['--max-semi-space-size=8'] : [];
const entry = new URL('program.js', import.meta.url);

if (isNewEnough && FLAGS.length === 0) {
  await import(entry);
} else {
  const runtime = isNewEnough ? process.execPath : pinnedNode();
  if (runtime === undefined) throw new Error(TOO_OLD);
  const args = [...FLAGS, fileURLToPath(entry), ...process.argv.slice(2)];
  const child = spawn(runtime, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? (code ?? 1) : 1;
  });
}

function pinnedNode() {
  const name = `node-${process.platform}-${process.arch}/bin/node`;
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch {
    return undefined;
  }
}
