import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extracted } from '../../../test/analysis/extraction.ts';
import { fixture } from '../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import { peOf } from '../../../test/analysis/pe-builder.ts';
import { startStopwatch } from '../../../test/stopwatch.ts';
import { lumma } from './lumma.ts';

const NAMES = ['base64', 'pointers', 'row', 'code'];
const read = (name: string) => extracted(lumma, fixture(`analysis/families/lumma-${name}.exe`));

const ENDPOINTS = [
  { protocol: 'https', usage: 'c2', url: 'https://lumma.example.invalid/abcd' },
  { protocol: 'https', usage: 'c2', url: 'https://second.example.invalid/qwer' },
  { protocol: 'https', usage: 'dead-drop', url: 'https://steamcommunity.com/profiles/7650000' },
  { protocol: 'https', usage: 'c2', host: 'bare.example.invalid' },
];

/** A text in layout 1, under any key of 32 bytes. */
function encrypted(
  server: string,
  key = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7)),
): string {
  const body = Buffer.from(server).map((byte, index) => byte ^ (key[index % 32] ?? 0));
  return Buffer.concat([key, body]).toString('base64');
}

function programWith(texts: readonly string[]): Buffer {
  return peOf(Buffer.from(`\0${texts.join('\0')}\0`));
}

describe('servers of Lumma', () => {
  it('are read from base64 under XOR', () => {
    assert.deepEqual(read('base64'), { endpoints: ENDPOINTS, offset: 1568 });
  });

  it('are read from ChaCha20 after the marker, by pointer or in sequence', () => {
    assert.deepEqual(read('pointers'), { endpoints: ENDPOINTS, offset: 1536 });
    assert.deepEqual(read('row'), { endpoints: ENDPOINTS, offset: 1536 });
  });

  it('are read from ChaCha20 at the addresses in code', () => {
    assert.deepEqual(read('code'), { endpoints: ENDPOINTS, offset: 1112 });
  });

  it('are read from ChaCha20 after the nonce if no code refers to the blobs', () => {
    const bytes = Buffer.from(fixture('analysis/families/lumma-code.exe'));
    const shift = bytes.indexOf(Buffer.from('c1e107', 'hex'));
    assert.ok(shift > 0);
    bytes.fill(0x90, shift, shift + 3);
    assert.deepEqual(extracted(lumma, bytes), { endpoints: ENDPOINTS, offset: 1112 });
  });

  it('are not read if the key is wrong, although the marker is present', () => {
    assert.equal(read('damaged'), undefined);
  });

  it('are not read from a single text or with a key that is not random', () => {
    const two = [encrypted('one.example.invalid'), encrypted('two.example.invalid')];
    assert.notEqual(extracted(lumma, programWith(two)), undefined);
    assert.equal(extracted(lumma, programWith(two.slice(1))), undefined);
    assert.equal(extracted(lumma, programWith([two[1] ?? '', two[1] ?? ''])), undefined);
    const zeros = Buffer.alloc(32);
    const plain = ['one.example.invalid', 'two.example.invalid'].map((name) =>
      encrypted(name, zeros),
    );
    assert.equal(extracted(lumma, programWith(plain)), undefined);
  });

  it('are not read if the plaintext is not a host', () => {
    const texts = [
      'no host at all',
      'one.example.1',
      '-x.example.invalid',
      'x.example.invalid/\x01',
      '__proto__',
    ];
    assert.equal(extracted(lumma, programWith(texts.map((text) => encrypted(text)))), undefined);
  });

  it('are not names of files', () => {
    const names = ['cookies.sqlite', 'wallet.dat', 'logins.json', 'user32.dll'];
    assert.equal(extracted(lumma, programWith(names.map((name) => encrypted(name)))), undefined);
    const servers = ['one.example.invalid', 'castle.run/abc'].map((name) => encrypted(name));
    const found = extracted(
      lumma,
      programWith([...names.map((name) => encrypted(name)), ...servers]),
    );
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.equal(found.endpoints.length, 2);
  });

  it('are not certain if two keys decrypt different ones', () => {
    const bytes = fixture('analysis/families/lumma-row.exe');
    const other = Buffer.from(bytes.subarray(1536, 1536 + 56 + 256));
    const found = extracted(lumma, Buffer.concat([bytes, other]));
    assert.ok(found !== undefined && 'unread' in found, JSON.stringify(found));
  });

  it('are limited in number and found in time among a million characters', () => {
    const texts = Array.from({ length: 20_000 }, (_, index) =>
      encrypted(`h${index}.example.invalid`),
    );
    const spent = startStopwatch();
    const found = extracted(lumma, programWith(texts));
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.equal(found.endpoints.length, 1000);
    assert.equal(extracted(lumma, programWith(['A'.repeat(4_000_000)])), undefined);
    assert.ok(spent() < 15_000);
  });

  it('are not searched when the time budget is used up', () => {
    const bytes = fixture('analysis/families/lumma-base64.exe');
    assert.equal(extracted(lumma, bytes, { isOver: () => true }), undefined);
  });

  it('do not fail on arbitrary bytes', () => {
    for (const name of NAMES) {
      fc.assert(
        fc.property(hostileVariants(fixture(`analysis/families/lumma-${name}.exe`)), (bytes) => {
          void extracted(lumma, bytes);
        }),
        fuzzSettings(),
      );
    }
  });
});
