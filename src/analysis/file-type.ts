import { WASMagic, WASMagicFlags } from 'wasmagic';

export interface FileType {
  /** As libmagic describes it: `PE32 executable (GUI) Intel 80386, for MS Windows`. */
  readonly description: string;
  readonly mime: string;
}

/** The type of a file according to libmagic, for people. Formats recognise their own files. */
export interface FileTypes {
  /** Rejects if libmagic fails on the bytes; the next call creates a new instance. */
  describe(bytes: Uint8Array): Promise<FileType>;
}

/**
 * libmagic itself reads no more than this; nearly all of its rules test the first few thousand
 * bytes.
 */
const HEAD_BYTES = 1024 * 1024;
const MAX_DESCRIPTION_LENGTH = 300;
export const UNKNOWN: FileType = { description: 'data', mime: 'application/octet-stream' };

interface Libmagic {
  /**
   * An instance returns either a description or a MIME type, so there are two (70 ms to create
   * both).
   */
  readonly descriptions: Detector;
  readonly mimes: Detector;
}

export type Detector = Pick<WASMagic, 'detect'>;
export type OpenDetector = (flags: WASMagicFlags) => Promise<Detector>;

const createDetector: OpenDetector = (flags) => WASMagic.create({ flags, stdio: ignore });

/** `create` opens an instance of libmagic; tests pass their own. */
export async function openFileTypes(create: OpenDetector = createDetector): Promise<FileTypes> {
  let libmagic: Libmagic | undefined = await openLibmagic(create);
  return {
    async describe(bytes) {
      const head = bytes.subarray(0, HEAD_BYTES);
      libmagic ??= await openLibmagic(create);
      try {
        return {
          description: tidy(libmagic.descriptions.detect(head)) || UNKNOWN.description,
          mime: tidy(libmagic.mimes.detect(head)) || UNKNOWN.mime,
        };
      } catch (cause) {
        // WebAssembly that has trapped may have left its memory inconsistent.
        libmagic = undefined;
        throw cause;
      }
    },
  };
}

async function openLibmagic(create: OpenDetector): Promise<Libmagic> {
  const [descriptions, mimes] = await Promise.all([
    create(WASMagicFlags.NONE),
    create(WASMagicFlags.MIME_TYPE),
  ]);
  return { descriptions, mimes };
}

/** libmagic's diagnostics must not reach the output of the worker. */
function ignore(): void {}

/** The description quotes bytes of the file, and may begin with a comma. */
function tidy(text: string): string {
  return text
    .replace(/[^\x20-\x7e]/g, '.')
    .replace(/^[\s,]+/, '')
    .slice(0, MAX_DESCRIPTION_LENGTH)
    .trimEnd();
}
