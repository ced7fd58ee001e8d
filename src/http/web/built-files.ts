import { readFile } from 'node:fs/promises';
import type { Encoding } from './accept-encoding.ts';
import type { FileContent, PublicFile } from './send-file.ts';

/** Next to `src`, in the installed package too. */
export const WEB_FOLDER = new URL('../../../web/dist/', import.meta.url);

export interface BuiltFile extends PublicFile {
  /** Whether it is the script of a worker. */
  readonly isWorker: boolean;
}

interface ListedFile extends Omit<BuiltFile, 'read'> {
  readonly etag: string;
}

/** `files.json`, as the build of `web/` writes it. */
interface FileList {
  readonly inlineStyles: readonly string[];
  readonly files: Readonly<Record<string, ListedFile>>;
}

const SUFFIXES: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

/** The application as `npm ci` has built it. */
export class BuiltFiles {
  /** The hashes of the style elements that the application creates. */
  readonly inlineStyles: readonly string[];
  readonly #folder: URL;
  readonly #files: Readonly<Record<string, ListedFile>>;
  /** Shared by all responses. They are at most as large as the folder: about 2 MB. */
  readonly #contents = new Map<string, Promise<Buffer>>();

  private constructor(folder: URL, { inlineStyles, files }: FileList) {
    this.inlineStyles = inlineStyles;
    this.#folder = folder;
    this.#files = files;
  }

  /** `undefined` if the application is not built. */
  static async open(folder: URL): Promise<BuiltFiles | undefined> {
    const text = await readFile(new URL('files.json', folder), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : new BuiltFiles(folder, JSON.parse(text));
  }

  /** Only listed files are served, so no path can leave the folder. */
  find(path: string): BuiltFile | undefined {
    const file = Object.hasOwn(this.#files, path) ? this.#files[path] : undefined;
    return file && { ...file, read: (encoding) => this.#read(path, file, encoding) };
  }

  /** `undefined` if the file was removed since the server started. */
  async #read(
    path: string,
    { etag }: ListedFile,
    encoding: Encoding | undefined,
  ): Promise<FileContent | undefined> {
    const name = path + (encoding === undefined ? '' : SUFFIXES[encoding]);
    const content = this.#contents.get(name) ?? readFile(new URL(name, this.#folder));
    this.#contents.set(name, content);
    try {
      return { etag, bytes: await content };
    } catch (error) {
      this.#contents.delete(name);
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }
}
