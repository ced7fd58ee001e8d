import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createBody, sha256Of } from '../builders.ts';
import type { TestInstallation } from '../installation.ts';

export type Settings = Record<string, string>;

/** The body of a create for a numbered C2, as one line. */
export function line(host: string, members: Readonly<Record<string, unknown>> = {}): string {
  const body = createBody({ c2Address: `${host}.example.invalid:4444`, ...members });
  return `${JSON.stringify({ ...body, file256Hash: sha256Of(host) })}\n`;
}

export function parseLines(text: string) {
  return text
    .split('\n')
    .filter((one) => one !== '')
    .map((one) => JSON.parse(one));
}

/** An account that owns a feed and may report to it, and the settings to call with its token. */
export async function owner(
  installation: TestInstallation,
  url: string,
  name: string,
  service: string,
) {
  await installation.json('service', 'add', service);
  const words = ['account', 'add', name, '--researcher', '--service', service];
  return {
    RAPSHEET_URL: url,
    RAPSHEET_TOKEN: (await installation.json(...words)).token,
  } as Settings;
}

/** The output lines of a program that runs until it is stopped. */
export class Followed {
  readonly #child: ReturnType<TestInstallation['start']>;
  readonly #lines: AsyncIterator<string>;

  constructor(child: ReturnType<TestInstallation['start']>) {
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  async next(count: number): Promise<readonly string[]> {
    const lines: string[] = [];
    while (lines.length < count) lines.push((await this.#lines.next()).value);
    return lines;
  }

  async json(count: number) {
    return (await this.next(count)).map((text) => JSON.parse(text));
  }

  /** Stops the program, and returns its remaining output and its exit code. */
  async end(signal: NodeJS.Signals = 'SIGINT') {
    const closed = once(this.#child, 'close');
    this.#child.kill(signal);
    const rest: string[] = [];
    for (let one = await this.#lines.next(); !one.done; one = await this.#lines.next())
      rest.push(one.value);
    const [code] = await closed;
    return { rest, code };
  }
}
