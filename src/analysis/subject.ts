/**
 * One piece of content that is looked at: the file itself, or something found inside of it. Parsers are pure
 * functions of bytes; what one of them made is kept, so that a format, a rule and an extractor may all ask.
 */
export class Subject {
  readonly bytes: Buffer;
  /** As its container or uploader states it: text to show, never a path to use. */
  readonly name: string;
  /** Names of the containers around it and its own; empty for the file itself. */
  readonly path: string;
  /** 0 for the file itself. */
  readonly depth: number;
  readonly #parsed = new Map<Parser<unknown>, unknown>();

  constructor(bytes: Buffer, name: string, path = '', depth = 0) {
    this.bytes = bytes;
    this.name = name;
    this.path = path;
    this.depth = depth;
  }

  /** What that parser makes of the bytes; it runs at most once. */
  as<Parsed>(parser: Parser<Parsed>): Parsed | undefined {
    if (!this.#parsed.has(parser)) this.#parsed.set(parser, parser(this.bytes));
    return this.#parsed.get(parser) as Parsed | undefined;
  }
}

/** Gives `undefined` for what is not of its kind or too damaged to say anything about. Never throws. */
export type Parser<Parsed> = (bytes: Buffer) => Parsed | undefined;
