import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * A command that fails ends the shell, and so does an answer of 400 or more. curl shows the answer
 * nevertheless.
 */
const PRELUDE = `
set -Eeuo pipefail
curl() { command curl --fail-with-body "$@"; }
page=
trap 'code=$?; echo "$page: failed with code $code: $BASH_COMMAND" >&2' ERR
`;

const DONE = '--- pasted ---';
const TAIL = 3000;

/** The shell of a reader, in which variables and functions stay from one block to the next. */
export class PastedShell {
  readonly #shell: ChildProcess;
  #output = '';
  #isPasted = Promise.withResolvers<boolean>();

  constructor(cwd: string, env: Readonly<Record<string, string>>) {
    this.#shell = spawn('bash', ['--noprofile', '--norc'], { cwd, env });
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        if (this.#output.includes(DONE)) this.#isPasted.resolve(true);
      });
    this.#shell.once('close', () => this.#isPasted.resolve(false));
    this.#shell.stdin?.write(PRELUDE);
  }

  /** Runs the commands of a block. Throws if one of them fails, with the last output. */
  async paste(page: string, commands: string): Promise<void> {
    this.#output = '';
    this.#isPasted = Promise.withResolvers();
    // The standard input of the commands is not that of the shell, which has the next ones.
    this.#shell.stdin?.write(`page='${page}'\n{\n${commands}\n} </dev/null\necho '${DONE}'\n`);
    if (!(await this.#isPasted.promise))
      throw new Error(`a command of ${page} failed:\n${this.#output.slice(-TAIL)}`);
  }

  async close(): Promise<void> {
    if (this.#shell.exitCode !== null) return;
    const ended = once(this.#shell, 'close');
    this.#shell.stdin?.end();
    await ended;
  }
}
