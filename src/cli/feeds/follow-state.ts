import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { replaceFile } from '../../platform/durable-file.ts';
import { CommandError, EXIT } from '../command.ts';

/**
 * The position of a follower in its feed, stored in a file: `{"feed":"ply","position":"17"}`.
 *
 * Writes run in the background, one at a time, each with the latest position. So the file is never
 * ahead of the printed lines, and at most one write behind.
 */
export class FollowState {
  readonly #file: string | undefined;
  readonly #feed: string;
  #saved: string | undefined;
  #position: string | undefined;
  #writing: Promise<void> | undefined;
  #failure: unknown;

  /** Without a file the position is only in memory. */
  constructor(file: string | undefined, feed: string) {
    this.#file = file === undefined ? undefined : resolve(file);
    this.#feed = feed;
    this.#saved = this.#file === undefined ? undefined : readPosition(this.#file, feed);
    this.#position = this.#saved;
  }

  /** `undefined` if nothing was saved yet. */
  get position(): string | undefined {
    return this.#position;
  }

  save(position: string): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#position = position;
    this.#writing ??= this.#writeLatest();
  }

  /** Waits until the latest position is on the disk. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #writeLatest(): Promise<void> {
    try {
      while (this.#file !== undefined && this.#position !== this.#saved) {
        const position = this.#position;
        const text = JSON.stringify({ feed: this.#feed, position });
        await replaceFile(this.#file, `${text}\n`);
        this.#saved = position;
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
  const text = readIfExists(file);
  // Otherwise it would only be noticed after the first change.
  if (text === undefined && !existsSync(dirname(file)))
    throw new CommandError(`there is no folder ${dirname(file)}`);
  if (text === undefined) return undefined;
  const state = parseState(text);
  if (state === undefined)
    throw new CommandError(`${file} is not a state file of this command`, EXIT.usage);
  if (state.feed !== feed)
    throw new CommandError(
      `${file} is the state of the feed ${JSON.stringify(state.feed)}: use one file per feed`,
      EXIT.usage,
    );
  return state.position;
}

function readIfExists(file: string): string | undefined {
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
