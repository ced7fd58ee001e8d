import { WASMagic, WASMagicFlags } from 'wasmagic';

export interface FileType {
  /** In libmagic's words: `PE32 executable (GUI) Intel 80386, for MS Windows`. */
  readonly description: string;
  readonly mime: string;
}

/** What libmagic calls a file. It is for people: what we parse we recognise ourselves. */
export interface FileTypes {
  /** Rejects where libmagic fails on the bytes; the next call gets a new instance of it. */
  describe(bytes: Uint8Array): Promise<FileType>;
}

/** Nearly all it knows stands in the first few thousand bytes; libmagic itself reads no more than this. */
const LOOKED_AT_BYTES = 1024 * 1024;
const MAX_DESCRIPTION_LENGTH = 300;
export const UNKNOWN: FileType = { description: 'data', mime: 'application/octet-stream' };

interface Libmagic {
  /** It gives either words or a MIME type, so there are two of it (together 70 ms to make). */
  readonly words: Detector;
  readonly mimes: Detector;
}

export type Detector = Pick<WASMagic, 'detect'>;
export type OpenDetector = (flags: WASMagicFlags) => Promise<Detector>;

const createDetector: OpenDetector = (flags) => WASMagic.create({ flags, stdio: ignore });

/** `create` makes an instance of libmagic; tests put in their own. */
export async function openFileTypes(create: OpenDetector = createDetector): Promise<FileTypes> {
  let libmagic: Libmagic | undefined = await openLibmagic(create);
  return {
    async describe(bytes) {
      const head = bytes.subarray(0, LOOKED_AT_BYTES);
      libmagic ??= await openLibmagic(create);
      try {
        return {
          description: tidy(libmagic.words.detect(head)) || UNKNOWN.description,
          mime: tidy(libmagic.mimes.detect(head)) || UNKNOWN.mime,
        };
      } catch (cause) {
        // WebAssembly that trapped stopped in the middle of its work: nobody knows what is left of its memory.
        libmagic = undefined;
        throw cause;
      }
    },
  };
}

async function openLibmagic(create: OpenDetector): Promise<Libmagic> {
  const [words, mimes] = await Promise.all([
    create(WASMagicFlags.NONE),
    create(WASMagicFlags.MIME_TYPE),
  ]);
  return { words, mimes };
}

/** What it has to say about its work must not reach our output. */
function ignore(): void {}

/** It quotes the file; and where it knows half of a thing it begins with a comma. */
function tidy(text: string): string {
  return text
    .replace(/[^\x20-\x7e]/g, '.')
    .replace(/^[\s,]+/, '')
    .slice(0, MAX_DESCRIPTION_LENGTH)
    .trimEnd();
}
