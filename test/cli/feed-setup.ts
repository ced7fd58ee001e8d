import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createBody, sha256Of } from '../builders.ts';
import type { TestInstallation } from '../installation.ts';

export type Settings = Record<string, string>;

/** What a researcher posts of the C2 of that number, as a line. */
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

/** The owner of one feed who may also report to it, and the settings of its calls. */
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

/** Lines of a program that does not end by itself. */
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

  /** Ends it, and gives what it had left to say, and its exit code. */
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
