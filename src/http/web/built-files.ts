import { readFile } from 'node:fs/promises';

/** Next to `src`, also in the installed package. */
export const WEB_FOLDER = new URL('../../../web/dist/', import.meta.url);

export interface BuiltFile {
  readonly type: string;
  readonly bytes: number;
  readonly etag: string;
  /** The encodings of which a compressed copy exists, best first. */
  readonly encodings: readonly Encoding[];
}

export type Encoding = 'br' | 'gzip';

/** `files.json`, as the build of `web/` writes it. */
export interface BuiltFiles {
  /** The hashes of the style elements that the application creates. */
  readonly inlineStyles: readonly string[];
  /** By path in the folder. */
  readonly files: Readonly<Record<string, BuiltFile>>;
}

/** `undefined` if the application is not built. */
export async function readBuiltFiles(folder: URL): Promise<BuiltFiles | undefined> {
  const text = await readFile(new URL('files.json', folder), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as BuiltFiles);
}

const SUFFIXES: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

export function readBuiltFile(folder: URL, path: string, encoding?: Encoding): Promise<Buffer> {
  return readFile(new URL(path + (encoding === undefined ? '' : SUFFIXES[encoding]), folder));
}

/** The best encoding that both sides have; `undefined` for the file as it is. */
export function chooseEncoding(
  { encodings }: BuiltFile,
  acceptEncoding: string | undefined,
): Encoding | undefined {
  const accepted = new Set<string>();
  for (const part of (acceptEncoding ?? '').toLowerCase().split(',')) {
    const [name = '', weight = ''] = part.split(';');
    if (!/^\s*q=0(\.0*)?\s*$/.test(weight)) accepted.add(name.trim());
  }
  return encodings.find((encoding) => accepted.has(encoding));
}
