// Starts the command line on a Node that can run it: this one if it is new enough, else the pinned one
// that the package brings for linux x64 and arm64.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isNewEnough, TOO_OLD } from './runtime.js';

const args = process.argv.slice(2);
const require = createRequire(import.meta.url);

if (asksForVersion(args)) process.stdout.write(`${versionText(args.includes('--json'))}\n`);
else await start();

async function start() {
  const entry = new URL('program.js', import.meta.url);
  if (isNewEnough) {
    await import(entry);
    return;
  }
  const runtime = pinned('bin/node');
  if (runtime === undefined) throw new Error(TOO_OLD);
  const child = spawn(runtime, [fileURLToPath(entry), ...args], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? (code ?? 1) : 1;
  });
}

// The command `version`, without loading the program.
function asksForVersion([first, ...others]) {
  const isVersion = ['version', '--version', '-V'].includes(first);
  return isVersion && others.every((word) => word === '--json');
}

// Names the Node that would run the program.
function versionText(isJson) {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const manifest = isNewEnough ? undefined : pinned('package.json');
  const node = manifest === undefined ? process.versions.node : require(manifest).version;
  return isJson ? JSON.stringify({ version, node }) : `rapsheet ${version} (Node ${node})`;
}

function pinned(file) {
  try {
    return require.resolve(`node-${process.platform}-${process.arch}/${file}`);
  } catch {
    return undefined;
  }
}
