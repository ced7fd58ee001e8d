import { randomBytes } from 'node:crypto';
import { createWriteStream, lstatSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SampleArchive } from '../../../client/sample-archive.ts';
import { parseFileHash } from '../../../domain/samples/file-hash.ts';
import { renameFile, renameToNew } from '../../../platform/durable-file.ts';
import { type Command, CommandError, EXIT } from '../../command.ts';
import { connect } from '../../connection.ts';
import { refuseMistyped } from '../../input/hashes.ts';
import { connectionOptions } from '../../options/connection-options.ts';

const PASSWORD = 'infected';
const STANDARD_OUTPUT = '-';

export const sampleDownload: Command = {
  usage: '<hash> [--out <file>|-] [--force]',
  arguments: { '<hash>': 'SHA-256, SHA-512 or BLAKE3 of a file' },
  options: {
    ...connectionOptions,
    out: {
      type: 'string',
      value: '<file>|-',
      description: 'Where to write it, - for standard output; <sha256>.zip by default',
    },
    force: { type: 'boolean', description: 'Overwrite an existing file' },
  },
  examples: [
    {
      command:
        'rapsheet sample download b98861fb5cb7d7a387f885ff49f0fdb0f0f2b78147f672c4f3d948cbd7adf8e3',
      description: 'Write the file as b98861fb….zip into this folder',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const [hash = ''] = input.positionals;
    refuseMistyped(hash);
    const { out, force } = input.options as { readonly out?: string; readonly force?: boolean };
    if (out === STANDARD_OUTPUT && process.stdout.isTTY)
      throw new CommandError(
        'the zip is not written to a terminal: use --out <file> or a pipe',
        EXIT.usage,
      );
    if (out !== undefined && force !== true) refuseExisting(out);
    const archive = await connect(input).downloadSample(hash);
    const file = out ?? `${archive.sha256 ?? parseFileHash(hash)?.hex}.zip`;
    if (file === STANDARD_OUTPUT) {
      await pipeline(bytesOf(archive), process.stdout, { end: false });
    } else {
      await write(archive, file, force === true);
      input.print({ file, sha256: archive.sha256 ?? null, password: PASSWORD }, file);
    }
    input.printMessage(`The password of the zip is "${PASSWORD}". The file inside may be malware.`);
  },
};

function refuseExisting(file: string): void {
  if (file !== STANDARD_OUTPUT && lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    throw alreadyExists(file);
}

function alreadyExists(file: string): CommandError {
  return new CommandError(`${file} exists: name another file with --out, or add --force`);
}

/** The file appears when it is complete. */
async function write(archive: SampleArchive, file: string, force: boolean): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    if (!force) refuseExisting(file);
    await pipeline(bytesOf(archive), createWriteStream(temporary, { flags: 'wx', flush: true }));
    await (force ? renameFile : renameToNew)(temporary, file);
  } catch (cause) {
    await archive.body.cancel().catch(() => undefined);
    await unlink(temporary).catch(() => undefined);
    throw (cause as NodeJS.ErrnoException).code === 'EEXIST' ? alreadyExists(file) : cause;
  }
}

function bytesOf({ body }: SampleArchive): Readable {
  // The types of the browser's stream are not those of Node.
  return Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
}
