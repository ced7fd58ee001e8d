import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type OpenDetector, openFileTypes } from './file-type.ts';

const types = await openFileTypes();

describe('the type of a file', () => {
  it('has a description and a MIME type', async () => {
    const packed = gzipSync('x');
    assert.match(await types.describe(packed), /^gzip compressed data/);
    assert.equal(await types.mime(packed), 'application/gzip');
    const text = Buffer.from('#!/bin/sh\necho\n');
    assert.match(await types.describe(text), /shell script/);
    assert.equal(await types.mime(text), 'text/x-shellscript');
  });

  it('is known for an empty file', async () => {
    assert.equal(await types.describe(Buffer.alloc(0)), 'empty');
    assert.equal(await types.mime(Buffer.alloc(0)), 'application/x-empty');
  });

  it('has no leading comma in its description', async () => {
    assert.equal(await types.describe(Buffer.from('MZ\0\0')), 'MZ for MS-DOS');
  });

  it('depends on the first MiB only', async () => {
    const bytes = Buffer.alloc(8 * 1024 * 1024);
    const head = bytes.subarray(0, 1024 * 1024);
    assert.equal(await types.describe(bytes), await types.describe(head));
    assert.equal(await types.mime(bytes), await types.mime(head));
  });

  it('quotes only printable characters', async () => {
    const bytes = fc.uint8Array({ maxLength: 64 }).map((array) => Buffer.from(array));
    const magic = fc.constantFrom('MZ', '\x7fELF\x02\x01', 'PK\x03\x04', '#!', '%PDF-', 'GIF89a');
    await fc.assert(
      fc.asyncProperty(magic, bytes, async (start, rest) => {
        const content = Buffer.concat([Buffer.from(start, 'latin1'), rest]);
        assert.match(await types.describe(content), /^[\x20-\x7e]{1,300}$/);
        assert.match(await types.mime(content), /^[\x20-\x7e]+$/);
      }),
      { seed: 20_261_115, numRuns: 100 },
    );
  });

  it('comes from a new instance of libmagic after one has failed', async () => {
    let made = 0;
    const create: OpenDetector = () => {
      made += 1;
      const detect = (bytes: Uint8Array) => {
        if (bytes[0] === 0) throw new Error('unreachable');
        return `instance ${made}`;
      };
      return Promise.resolve({ detect });
    };
    const failing = await openFileTypes(create);
    assert.equal(await failing.describe(Buffer.from('a')), 'instance 2');
    await assert.rejects(failing.describe(Buffer.alloc(1)), /unreachable/);
    assert.equal(await failing.describe(Buffer.from('a')), 'instance 4');
  });

  it('is available in a process that may read only the program, without output', () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const script = `
      const { openFileTypes } = await import(${JSON.stringify(new URL('file-type.ts', import.meta.url).href)});
      const types = await openFileTypes();
      await types.describe(Buffer.from('%PDF-1.7'));
      process.stdout.write(await types.mime(Buffer.from('%PDF-1.7')));`;
    const out = execFileSync(
      process.execPath,
      ['--permission', `--allow-fs-read=${root}`, '--input-type=module', '-e', script],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    );
    assert.equal(out, 'application/pdf');
  });
});
