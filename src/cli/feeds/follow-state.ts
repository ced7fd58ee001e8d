import { readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CommandError, EXIT } from '../command.ts';

/**
 * How far somebody has followed a feed, in a file of its own: `{"feed":"ply","position":"17"}`.
 *
 * It is written while lines go on to come, one write after the other, each with the place that was the last by then. So
 * it is never ahead of what was written out, and behind it by no more than one write takes.
 */
export class FollowState {
  readonly #file: string | undefined;
  readonly #feed: string;
  #kept: string | undefined;
  #wanted: string | undefined;
  #writing: Promise<void> | undefined;
  #failure: unknown;

  /** Without a file nothing is kept. */
  constructor(file: string | undefined, feed: string) {
    this.#file = file === undefined ? undefined : resolve(file);
    this.#feed = feed;
    this.#kept = this.#file === undefined ? undefined : readPosition(this.#file, feed);
    this.#wanted = this.#kept;
  }

  /** `undefined` where nobody has followed yet. */
  get position(): string | undefined {
    return this.#wanted;
  }

  keep(position: string): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#wanted = position;
    this.#writing ??= this.#writeOn();
  }

  /** Until the last place is on the disk. */
  async settle(): Promise<void> {
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #writeOn(): Promise<void> {
    try {
      while (this.#file !== undefined && this.#wanted !== this.#kept) {
        const position = this.#wanted;
        const text = JSON.stringify({ feed: this.#feed, position });
        await writeWhole(this.#file, `${text}\n`);
        this.#kept = position;
      }
    } catch (cause) {
      this.#failure = new CommandError(
        `the state could not be written: ${(cause as Error).message}`,
      );
    } finally {
      this.#writing = undefined;
    }
  }
}

function readPosition(file: string, feed: string): string | undefined {
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  const state = parseState(text);
  if (state === undefined)
    throw new CommandError(`${file} is not a state of this command`, EXIT.usage);
  if (state.feed !== feed)
    throw new CommandError(
      `${file} is the state of the feed ${JSON.stringify(state.feed)}: each feed needs a file of its own`,
      EXIT.usage,
    );
  return state.position;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CommandError(`${file} cannot be read`);
  }
}

function parseState(text: string): { feed: string; position: string } | undefined {
  try {
    const { feed, position } = JSON.parse(text);
    return typeof feed === 'string' && typeof position === 'string'
      ? { feed, position }
      : undefined;
  } catch {
    return undefined;
  }
}

/** It appears whole or not at all, also after a power cut. */
async function writeWhole(file: string, text: string): Promise<void> {
  const temporary = `${file}.new`;
  const handle = await open(temporary, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  const folder = await open(dirname(file), 'r');
  await folder.sync().finally(() => folder.close());
}
