// Starts the command line on a Node that can run it: this one if it is new enough, else the pinned one
// that the package brings for linux x64 and arm64. The server gets its flags, so it always gets a process of its own.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const LEAST = [24, 12];
// Those of `npm start`: what dies young is kept small enough for the processor's caches.
const FLAGS = process.argv[2] === 'serve' ? ['--max-semi-space-size=8'] : [];
const entry = new URL('program.js', import.meta.url);

const [major, minor] = process.versions.node.split('.').map(Number);
const isNew = major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
if (isNew && FLAGS.length === 0) {
  await import(entry);
} else {
  const runtime = isNew ? process.execPath : pinnedNode();
  if (runtime === undefined) {
    throw new Error(`Node ${LEAST.join('.')} or newer is needed; this is ${process.versions.node}`);
  }
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
