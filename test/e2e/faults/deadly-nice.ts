import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';

/**
 * Wraps the program `nice`, which starts the isolated process of an analysis, and forwards standard
 * input. When a sample arrives whose hash is in `hashesFile`, it kills the process, as if the
 * parser had crashed.
 */
const [, , hashesFile = '', killsFile = '', nice = '', ...args] = process.argv;

const worker = spawn(nice, args, { stdio: ['pipe', 'ignore', 'inherit', 'inherit'] });
worker.once('exit', (code, signal) => {
  if (signal !== null) process.kill(process.pid, 'SIGKILL');
  process.exit(code ?? 1);
});
worker.stdin?.on('error', () => undefined);

/** Longer than a hash, to find one that is split over two chunks. */
const KEPT_CHARACTERS = 200;
let last = '';

process.stdin.on('data', (bytes: Buffer) => {
  const text = last + bytes.toString('latin1');
  last = text.slice(-KEPT_CHARACTERS);
  const hash = hashes().find((one) => text.includes(`"sha256":"${one}"`));
  if (hash === undefined) {
    if (worker.stdin?.write(bytes) === false) {
      process.stdin.pause();
      worker.stdin.once('drain', () => process.stdin.resume());
    }
    return;
  }
  appendFileSync(killsFile, `${hash}\n`);
  worker.kill('SIGKILL');
});
process.stdin.on('end', () => worker.stdin?.end());

function hashes(): readonly string[] {
  return readFileSync(hashesFile, 'utf8').split('\n').filter(Boolean);
}
