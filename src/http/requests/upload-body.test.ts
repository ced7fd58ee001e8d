import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../domain/problem.ts';
import { readUpload } from './upload-body.ts';

const HEADERS = { 'content-type': 'multipart/form-data; boundary=b' };
const LIMIT = 100_000;
const SEED = { seed: 20_260_826, numRuns: 150 };

function formOf(bytes: Uint8Array, disposition = 'form-data; name="file"; filename="x"'): Buffer {
  const head = `--b\r\nContent-Disposition: ${disposition}\r\nContent-Type: text/plain\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--b--\r\n')]);
}

/** The same bytes in pieces, each as long as the next of these lengths. */
function* inPieces(bytes: Buffer, lengths: readonly number[]): Generator<Buffer> {
  let index = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = lengths[index++ % lengths.length] ?? 1;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

async function read(body: Readable): Promise<{ fileName: string | undefined; bytes: Buffer }> {
  const { fileName, bytes } = await readUpload(HEADERS, body, LIMIT);
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return { fileName, bytes: Buffer.concat(pieces) };
}

const lengths = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 8 });

describe('reading a form', { timeout: 180_000 }, () => {
  it('yields exactly the bytes of the file, for any chunks', async () => {
    const content = fc
      .array(fc.constantFrom('\r', '\n', '-', '--b', '\r\n', 'x', '\0', 'b'), { maxLength: 200 })
      .map((parts) => Buffer.from(parts.join('')))
      .filter((bytes) => !`\r\n${bytes.toString('latin1')}`.includes('\r\n--b'));
    await fc.assert(
      fc.asyncProperty(content, lengths, async (bytes, sizes) => {
        const body = Readable.from(inPieces(formOf(bytes), sizes));
        assert.deepEqual(await read(body), { fileName: 'x', bytes });
      }),
      SEED,
    );
  });

  it('ends with the file or with a refusal, for any input', async () => {
    const good = formOf(Buffer.from('MZ'.repeat(50)));
    const damage = fc.array(
      fc.tuple(fc.integer({ min: 0, max: good.length - 1 }), fc.integer({ min: 0, max: 255 })),
      { maxLength: 6 },
    );
    const damaged = fc
      .tuple(damage, fc.integer({ min: 0, max: good.length }))
      .map(([changes, length]) => {
        const bytes = Buffer.from(good);
        for (const [at, value] of changes) bytes[at] = value;
        return bytes.subarray(0, length);
      });
    const anything = fc.oneof(damaged, fc.uint8Array({ maxLength: 500 }).map(Buffer.from));
    await fc.assert(
      fc.asyncProperty(anything, lengths, async (bytes, sizes) => {
        await read(Readable.from(inPieces(bytes, sizes))).catch((error: unknown) => {
          assert.ok(error instanceof Problem, String(error));
        });
      }),
      { ...SEED, numRuns: 400 },
    );
  });

  it('accepts or refuses any part header', async () => {
    const word = fc.constantFrom(
      ...['form-data', ';', 'name', '=', '"file"', 'filename', '*', "FOO''%ff", "utf-8''%zz"],
      ...['"', '\\', "'", ' ', '\t', '%', 'é', 'file', 'a\nb'],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 15 }), async (words) => {
        const body = Readable.from([formOf(Buffer.from('MZ'), words.join(''))]);
        await read(body).catch((error: unknown) => {
          assert.ok(error instanceof Problem, String(error));
        });
      }),
      { ...SEED, numRuns: 400 },
    );
  });

  it('reads no faster than its consumer', async () => {
    let made = 0;
    const body = new Readable({
      read() {
        made += 1;
        this.push(made === 1 ? formOf(Buffer.alloc(0)).subarray(0, -9) : Buffer.alloc(65_536));
      },
    });
    const { bytes } = await readUpload(HEADERS, body, Number.MAX_SAFE_INTEGER / 2);
    const iterator = bytes[Symbol.asyncIterator]();
    await iterator.next();
    for (let turn = 0; turn < 100; turn += 1) await new Promise((go) => setImmediate(go));
    const before = made;
    for (let turn = 0; turn < 100; turn += 1) await new Promise((go) => setImmediate(go));
    assert.equal(made, before);
    assert.ok(made < 20, `${made} pieces were read`);
    await iterator.return?.();
    body.destroy();
  });

  it('discards the remaining body when the reader stops early', async () => {
    const body = Readable.from(inPieces(formOf(Buffer.alloc(90_000)), [1000]));
    const { bytes } = await readUpload(HEADERS, body, LIMIT);
    for await (const _ of bytes) break;
    await new Promise((resolve) => body.once('end', resolve));
  });

  it('discards the body when the file is never read', async () => {
    const body = Readable.from(inPieces(formOf(Buffer.alloc(90_000)), [1000]));
    const { discard } = await readUpload(HEADERS, body, LIMIT);
    discard();
    await new Promise((resolve) => body.once('end', resolve));
  });

  it('stops reading at parts without a name', async () => {
    const nameless = Buffer.from('--b\r\n\r\n\r\n'.repeat(1000));
    const file = formOf(Buffer.from('MZ'));
    for (const body of [
      Buffer.concat([nameless, file]),
      Buffer.concat([file.subarray(0, -7), nameless, file.subarray(-7)]),
    ])
      await assert.rejects(read(Readable.from(inPieces(body, [4096]))), { code: 'invalid_body' });
  });

  it('fails if the body fails, and names the cause', async () => {
    const cause = new Error('the client disconnected');
    async function* broken() {
      yield formOf(Buffer.from('MZ')).subarray(0, -12);
      throw cause;
    }
    await assert.rejects(read(Readable.from(broken())), { code: 'malformed_request', cause });
  });
});
