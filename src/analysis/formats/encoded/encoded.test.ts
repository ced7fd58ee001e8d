import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { inspect } from '../../../../test/analysis/findings.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { Subject } from '../../subject.ts';
import { encoded } from './encoded.ts';
import { encodedRuns } from './runs.ts';

const program = fixture('analysis/pe/tiny');
const host = fixture('analysis/pe/hello32');
const elf = fixture('analysis/elf/plain-x86-64');
const base64 = program.toString('base64');
const wide = (text: string) => Buffer.from(text, 'utf16le');

/** A program with content after an unrelated byte. */
function carrying(content: Buffer | string, carrier = host): Buffer {
  return Buffer.concat([
    carrier,
    Buffer.from([0xff]),
    Buffer.from(content),
    Buffer.alloc(20, 0xff),
  ]);
}

async function nestedIn(bytes: Buffer): Promise<readonly Buffer[]> {
  return (await inspect(encoded, bytes)).nested.map((one) => one.bytes);
}

describe('content that a program embeds', () => {
  const forms: Readonly<Record<string, Buffer | string>> = {
    'as base64': base64,
    'as base64 in lines': base64.replace(/.{76}/g, '$&\r\n'),
    'as base64 in UTF-16': wide(base64),
    'as base64 in UTF-16, in lines': wide(base64.replace(/.{64}/g, '$&\n')),
    'as base64 backwards': [...base64].reverse().join(''),
    'as hexadecimal digits': program.toString('hex').toUpperCase(),
    'in gzip': gzipSync(program),
    'in gzip behind its length': Buffer.concat([Buffer.from([1, 2, 0, 0]), gzipSync(program)]),
  };
  for (const [how, content] of Object.entries(forms)) {
    it(`is nested ${how}`, async () => {
      assert.deepEqual(await nestedIn(carrying(content)), [program]);
      assert.deepEqual(await nestedIn(carrying(content, elf)), [program]);
    });
  }

  it('is unpacked if it is gzip in base64', async () => {
    const packed = gzipSync(program);
    assert.deepEqual(await nestedIn(carrying(packed.toString('base64'))), [packed]);
  });

  it('is nested if it is a script in base64', async () => {
    const text = `$client = New-Object Net.WebClient\n${'# a comment\n'.repeat(30)}`;
    const found = await nestedIn(carrying(Buffer.from(text).toString('base64')));
    assert.deepEqual(found.map(String), [text]);
  });

  it('is nested if it is shellcode in base64', async () => {
    const code = fixture('analysis/families/cobalt-strike-stager.bin');
    assert.deepEqual(await nestedIn(carrying(code.toString('base64'))), [code]);
  });

  it('is reported with its offset', async () => {
    const { tags, nested } = await inspect(encoded, carrying(base64));
    const offset = host.length + 1;
    assert.deepEqual(tags.get('ENCODED_PAYLOAD'), { offset, note: 'base64' });
    assert.equal(nested[0]?.name, `decoded base64 ${offset}`);
  });

  it('is ignored if its format is unknown', async () => {
    const noise = randomFillSync(Buffer.alloc(4096, 1)).fill(0xee, 0, 4).fill(0xee, 4092);
    for (const content of [noise.toString('base64'), gzipSync(noise), 'A'.repeat(9999)])
      assert.deepEqual(await nestedIn(carrying(content)), []);
  });

  it('is not unpacked again in resources and overlays', async () => {
    assert.deepEqual(await nestedIn(Buffer.concat([host, gzipSync(program)])), []);
  });

  it('is limited in number', async () => {
    const many = Array.from({ length: 100 }, () => `${base64}\xff`).join('');
    const { nested, limits } = await inspect(encoded, carrying(Buffer.from(many, 'latin1')));
    assert.equal(nested.length, 16);
    assert.deepEqual(limits, ['more than 16 encoded or compressed parts']);
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 'a text that repeats itself '));
    const bombed = await inspect(encoded, carrying(bomb));
    assert.equal(bombed.nested[0]?.bytes.length, 32 * 1024 * 1024);
    assert.equal(bombed.limits.length, 1);
    const tight = await inspect(encoded, carrying(base64), { members: 0 });
    assert.deepEqual(tight.nested, []);
  });
});

describe('a merged library', () => {
  it('is inflated where it lies in a resource of a .NET program', async () => {
    const loader = fixture('analysis/dotnet/loader');
    const packed = deflateRawSync(program);
    // The first resource is a program that is larger than the packed one.
    const at = loader.indexOf('MZ', 2);
    const size = loader.readUInt32LE(at - 4);
    assert.ok(size > packed.length);
    const changed = Buffer.from(loader);
    changed.fill(0, at, at + size);
    packed.copy(changed, at);
    const { nested, tags } = await inspect(encoded, changed);
    assert.deepEqual(
      nested.map(({ bytes }) => bytes),
      [program],
    );
    assert.equal(tags.get('COMPRESSED_PAYLOAD')?.note, 'deflate');
  });
});

describe('a text', () => {
  it('that is only base64 is decoded', async () => {
    for (const text of [base64, `\ufeff${base64}`, base64.replace(/.{76}/g, '$&\n')])
      assert.deepEqual(await nestedIn(Buffer.from(text)), [program]);
    assert.deepEqual(await nestedIn(wide(`\ufeff${base64}`)), [program]);
  });

  it('with the header of a certificate and other content is decoded', async () => {
    const lines = base64.replace(/.{64}/g, '$&\r\n');
    const text = `-----BEGIN CERTIFICATE-----\r\n${lines}\r\n-----END CERTIFICATE-----\r\n`;
    assert.deepEqual(await nestedIn(Buffer.from(text)), [program]);
  });

  it('of another kind is ignored', () => {
    const words = 'the quick brown fox jumps over the lazy dog '.repeat(100);
    const matches = (text: string) => encoded.matches(new Subject(Buffer.from(text), 'a.txt'));
    assert.equal(matches(words), false);
    assert.equal(matches(`${words}${base64}`), false);
    assert.equal(matches('A'.repeat(10_000)), false);
    assert.equal(matches(''), false);
  });
});

describe('runs', () => {
  it('are found at any offset', () => {
    for (let before = 0; before < 600; before += 7) {
      const narrow = Buffer.concat([Buffer.alloc(before, 0xff), Buffer.from('Q'.repeat(256))]);
      assert.deepEqual(
        [...encodedRuns(narrow)],
        [{ start: before, end: before + 256, isWide: false }],
      );
      const inWide = Buffer.concat([Buffer.alloc(before, 0xff), wide('Q'.repeat(256))]);
      assert.deepEqual(
        [...encodedRuns(inWide)],
        [{ start: before, end: before + 512, isWide: true }],
      );
    }
  });

  it('are skipped if they are short', () => {
    assert.deepEqual([...encodedRuns(Buffer.from(`${'Q'.repeat(255)} `.repeat(9)))], []);
    assert.deepEqual([...encodedRuns(wide(`${'Q'.repeat(255)} `.repeat(9)))], []);
  });
});

describe('arbitrary input', () => {
  it('causes no exception', async () => {
    const good = carrying(
      Buffer.concat([Buffer.from(base64.slice(0, 600)), gzipSync(program), wide(base64)]),
      Buffer.from('MZ'),
    );
    await fc.assert(
      fc.asyncProperty(
        hostileVariants(good),
        async (bytes) => void (await inspect(encoded, bytes)),
      ),
      fuzzSettings(),
    );
  });
});
