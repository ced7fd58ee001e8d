// Starts the command line on a Node that can run it: this one if it is new enough, else the pinned one
// that the package brings for linux x64 and arm64.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const LEAST = [24, 12];
// The published package holds compiled JavaScript; a checkout runs the sources as they are.
const built = fileURLToPath(new URL('../dist/src/cli/rapsheet.js', import.meta.url));
const source = fileURLToPath(new URL('../src/cli/rapsheet.ts', import.meta.url));
const entry = existsSync(source) ? source : built;

const [major, minor] = process.versions.node.split('.').map(Number);
if (major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1])) {
  await import(entry);
} else {
  const runtime = pinnedNode();
  if (runtime === undefined) {
    throw new Error(`Node ${LEAST.join('.')} or newer is needed; this is ${process.versions.node}`);
  }
  const child = spawn(runtime, [entry, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? (code ?? 1) : 1;
  });
}

function pinnedNode() {
  try {
    return createRequire(import.meta.url).resolve(
      `node-${process.platform}-${process.arch}/bin/node`,
    );
  } catch {
    return undefined;
  }
}
