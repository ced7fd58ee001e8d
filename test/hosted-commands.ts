import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface HostedCommand {
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  /** The whole standard input. */
  readonly input: string;
}

export interface HostedOutcome {
  /** The exit code; `null` if the command did not end. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const HOST = fileURLToPath(new URL('command-host.ts', import.meta.url));

/**
 * Runs commands of the program one after the other in one other process, because loading the
 * program takes many times as long as most commands. It starts with the first command and ends
 * with this process.
 */
export class HostedCommands {
  #host: ChildProcess | undefined;
  #last: Promise<unknown> = Promise.resolve();

  run(command: HostedCommand): Promise<HostedOutcome> {
    const outcome = this.#last.then(() => this.#runNow(command));
    this.#last = outcome.catch(() => undefined);
    return outcome;
  }

  async #runNow(command: HostedCommand): Promise<HostedOutcome> {
    this.#host ??= fork(HOST, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const host = this.#host;
    const ended = new AbortController();
    const onExit = () => ended.abort(new Error(`the process of ${command.words.join(' ')} ended`));
    host.once('exit', onExit);
    // Between commands the host does not keep this process alive.
    host.ref();
    host.channel?.ref();
    try {
      host.send(command);
      const [outcome] = await once(host, 'message', { signal: ended.signal });
      return outcome as HostedOutcome;
    } finally {
      host.off('exit', onExit);
      host.unref();
      host.channel?.unref();
      if (host.exitCode !== null) this.#host = undefined;
    }
  }
}
