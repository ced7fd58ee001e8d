import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CommandError, EXIT } from '../command.ts';
import { askedHashes, inBatches, readHashes } from './hashes.ts';

const HASH = 'ab'.repeat(32);

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

describe('the hashes of standard input', () => {
  const read = (...texts: string[]) => Array.fromAsync(readHashes(chunks(...texts)));

  it('are the first words of lines, without blank lines and comments', async () => {
    const text = `\ufeff${HASH}  a file\r\n\n  # a comment\n\\${HASH} *b\\nc\n\t${HASH}\t\nbeef`;
    assert.deepEqual((await read(text)).flat(), [HASH, HASH, HASH, 'beef']);
  });

  it('are grouped as they arrive, even if a line arrives in pieces', async () => {
    const groups = await read(`${HASH}\n${HASH.slice(0, 9)}`, `${HASH.slice(9)}\n`, '# none\n');
    assert.deepEqual(groups, [[HASH], [HASH]]);
  });

  it('are bounded, however long a line is', async () => {
    const long = 'a'.repeat(60_000);
    const [words] = await read(...Array.from({ length: 100 }, () => long), `\n${HASH}`);
    assert.ok((words?.[0]?.length ?? 0) <= 160);
    assert.notEqual(words?.[0]?.length, 128);
  });
});

describe('the hashes that a command is asked for', () => {
  const isUsage = (cause: unknown) =>
    cause instanceof CommandError && cause.exitCode === EXIT.usage;

  it('are its arguments, all of which must be hashes', async () => {
    assert.deepEqual(await Array.fromAsync(askedHashes([HASH, HASH])), [[HASH, HASH]]);
    assert.throws(() => askedHashes([HASH, 'beef']), isUsage);
    assert.throws(() => askedHashes([HASH, '-']), isUsage);
  });

  it('get a hint if another hash or a file is given', () => {
    const md5 = 'd41d8cd98f00b204e9800998ecf8427e';
    assert.throws(() => askedHashes([md5]), { message: new RegExp(`rapsheet search ${md5}$`) });
    assert.throws(() => askedHashes([import.meta.filename]), {
      message: /sha256sum .*\.test\.ts$/,
    });
    assert.throws(() => askedHashes(['beef']), { message: /; nothing was looked up$/ });
  });

  it('are divided into batches', async () => {
    const groups = [['1', '2', '3'], ['4']];
    assert.deepEqual(await Array.fromAsync(inBatches(groups, 2)), [['1', '2'], ['3'], ['4']]);
  });
});
