import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';

/**
 * Stands before the program `nice`, with which the isolated process of an analysis is started, and
 * hands everything on. As soon as a sample goes by whose hash is in the file that it is given, the
 * process is killed, as if its parser had crashed.
 */
const [, , hashesFile = '', killsFile = '', nice = '', ...args] = process.argv;

const worker = spawn(nice, args, { stdio: ['pipe', 'ignore', 'inherit', 'inherit'] });
worker.once('exit', (code, signal) => {
  if (signal !== null) process.kill(process.pid, 'SIGKILL');
  process.exit(code ?? 1);
});
worker.stdin?.on('error', () => undefined);

/** Longer than a hash: one that is cut in two is seen, too. */
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
