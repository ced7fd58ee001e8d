import { WASMagic, WASMagicFlags } from 'wasmagic';

/** The type of a file according to libmagic, for people. Formats recognise their own files. */
export interface FileTypes {
  /**
   * As libmagic describes it: `PE32 executable (GUI) Intel 80386, for MS Windows`. Rejects if
   * libmagic fails on the bytes; the next call creates a new instance.
   */
  describe(bytes: Uint8Array): Promise<string>;
  /** Takes as long again, so it is only determined where it is used. Rejects as `describe` does. */
  mime(bytes: Uint8Array): Promise<string>;
}

/**
 * libmagic itself reads no more than this; nearly all of its rules test the first few thousand
 * bytes.
 */
const HEAD_BYTES = 1024 * 1024;
const MAX_DESCRIPTION_LENGTH = 300;
export const UNKNOWN = { description: 'data', mime: 'application/octet-stream' } as const;

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
  const detect = async (bytes: Uint8Array, detector: keyof Libmagic): Promise<string> => {
    libmagic ??= await openLibmagic(create);
    try {
      return tidy(libmagic[detector].detect(bytes.subarray(0, HEAD_BYTES)));
    } catch (cause) {
      // WebAssembly that has trapped may have left its memory inconsistent.
      libmagic = undefined;
      throw cause;
    }
  };
  return {
    describe: async (bytes) => (await detect(bytes, 'descriptions')) || UNKNOWN.description,
    mime: async (bytes) => (await detect(bytes, 'mimes')) || UNKNOWN.mime,
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
