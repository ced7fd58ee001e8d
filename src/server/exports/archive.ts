import { closeSync, createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { openSpoolFile } from './spool-file.ts';
import { SpoolWriter } from './spool-writer.ts';

interface ArchiveOptions {
  readonly folder: string;
  readonly modifiedAt: Date;
  /** Gets the size of the files before they are in the archive, and 0 after that. */
  onTemporary(bytes: number): void;
  write(name: string, file: SpoolWriter): Promise<void>;
}

interface Part {
  readonly name: string;
  readonly fd: number;
  readonly bytes: number;
  readonly digest: string;
}

/** The file with the digests of the other files, in the format of `sha256sum --check`. */
const SUMS = 'SHA256SUMS';

/** Writes a compressed tar archive. The header of a file has its size, so it is written first. */
export async function writeArchive(
  names: readonly string[],
  spool: SpoolWriter,
  options: ArchiveOptions,
): Promise<void> {
  const parts: Part[] = [];
  let finished = 0;
  try {
    for (const name of names) {
      const fd = openSpoolFile(options.folder);
      const file = new SpoolWriter(fd, {
        onWrite: (bytes) => options.onTemporary(finished + bytes),
      });
      parts.push({ name, fd, bytes: 0, digest: '' });
      await options.write(name, file);
      parts[parts.length - 1] = { name, fd, digest: file.digest(), bytes: file.bytes };
      finished += file.bytes;
    }
    const archive = Readable.from(tar(parts, options.modifiedAt), { objectMode: false });
    await pipeline(archive, createGzip(), async (pieces) => {
      for await (const piece of pieces) spool.write(piece as Buffer);
    });
  } finally {
    for (const { fd } of parts) closeSync(fd);
    options.onTemporary(0);
  }
}

async function* tar(parts: readonly Part[], modifiedAt: Date): AsyncGenerator<Buffer, void> {
  for (const { name, fd, bytes } of parts) {
    yield tarHeader(name, bytes, modifiedAt);
    if (bytes > 0) yield* createReadStream('', { fd, start: 0, end: bytes - 1, autoClose: false });
    yield padding(bytes);
  }
  const sums = Buffer.from(parts.map(({ name, digest }) => `${digest}  ${name}\n`).join(''));
  yield tarHeader(SUMS, sums.length, modifiedAt);
  yield sums;
  yield padding(sums.length);
  // The end of an archive is two blocks of zeros.
  yield Buffer.alloc(2 * BLOCK);
}

const BLOCK = 512;
/** Eleven octal digits. */
const MAX_SIZE = 8 ** 11 - 1;

function padding(bytes: number): Buffer {
  return Buffer.alloc((BLOCK - (bytes % BLOCK)) % BLOCK);
}

/**
 * POSIX ustar (IEEE 1003.1, pax):
 *
 *   name 100 | mode 8 | uid 8 | gid 8 | size 12 | mtime 12 | checksum 8 | type 1 | link 100
 *   | "ustar\0" 6 | "00" 2 | owner 32 | group 32 | device 8 8 | prefix 155 | 12 unused
 */
function tarHeader(name: string, bytes: number, modifiedAt: Date): Buffer {
  if (bytes > MAX_SIZE) throw new Error(`${name} is too large for an archive`);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 99);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(bytes, 11), 124);
  header.write(octal(Math.max(0, Math.floor(modifiedAt.getTime() / 1000)), 11), 136);
  // The checksum is that of a header in which it is blank.
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\0', 257);
  header.write('00', 263);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}
