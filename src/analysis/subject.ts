/**
 * One piece of content under analysis: the file itself or a member. The result of each parser is
 * cached, so that formats, rules and extractors can share it.
 */
export class Subject {
  readonly bytes: Buffer;
  /** As stated by the container or the uploader: only for display, never used as a path. */
  readonly name: string;
  /** The names of the enclosing containers and its own, joined; empty for the file itself. */
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

  /** The result of a parser; the parser runs at most once. */
  as<Parsed>(parser: Parser<Parsed>): Parsed | undefined {
    if (!this.#parsed.has(parser)) this.#parsed.set(parser, parser(this.bytes));
    return this.#parsed.get(parser) as Parsed | undefined;
  }
}

/**
 * Returns `undefined` if the content is of another kind or too damaged to describe. Never throws.
 */
export type Parser<Parsed> = (bytes: Buffer) => Parsed | undefined;
