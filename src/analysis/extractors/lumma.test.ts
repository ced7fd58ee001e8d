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

/** A text as the first way has it, under a key of any 32 bytes. */
function sealed(
  server: string,
  key = Buffer.from(Array.from({ length: 32 }, (_, place) => place * 7)),
): string {
  const body = Buffer.from(server).map((byte, place) => byte ^ (key[place % 32] ?? 0));
  return Buffer.concat([key, body]).toString('base64');
}

function programWith(texts: readonly string[]): Buffer {
  return peOf(Buffer.from(`\0${texts.join('\0')}\0`));
}

describe('servers of Lumma', () => {
  it('are read from base64 under XOR', () => {
    assert.deepEqual(read('base64'), { endpoints: ENDPOINTS, offset: 1568 });
  });

  it('are read from ChaCha20 behind the mark, by address or in a row', () => {
    assert.deepEqual(read('pointers'), { endpoints: ENDPOINTS, offset: 1536 });
    assert.deepEqual(read('row'), { endpoints: ENDPOINTS, offset: 1536 });
  });

  it('are read from ChaCha20 where the code says', () => {
    assert.deepEqual(read('code'), { endpoints: ENDPOINTS, offset: 1112 });
  });

  it('are read from ChaCha20 behind the nonce, where no code names the blobs', () => {
    const bytes = Buffer.from(fixture('analysis/families/lumma-code.exe'));
    const shift = bytes.indexOf(Buffer.from('c1e107', 'hex'));
    assert.ok(shift > 0);
    bytes.fill(0x90, shift, shift + 3);
    assert.deepEqual(extracted(lumma, bytes), { endpoints: ENDPOINTS, offset: 1112 });
  });

  it('are nothing where the key is wrong, though the mark is there', () => {
    assert.equal(read('damaged'), undefined);
  });

  it('are nothing from a single text, or under a key that is none', () => {
    const two = [sealed('one.example.invalid'), sealed('two.example.invalid')];
    assert.notEqual(extracted(lumma, programWith(two)), undefined);
    assert.equal(extracted(lumma, programWith(two.slice(1))), undefined);
    assert.equal(extracted(lumma, programWith([two[1] ?? '', two[1] ?? ''])), undefined);
    const zeros = Buffer.alloc(32);
    const plain = ['one.example.invalid', 'two.example.invalid'].map((name) => sealed(name, zeros));
    assert.equal(extracted(lumma, programWith(plain)), undefined);
  });

  it('are nothing where what comes out is no host', () => {
    const texts = [
      'no host at all',
      'one.example.1',
      '-x.example.invalid',
      'x.example.invalid/\x01',
      '__proto__',
    ];
    assert.equal(extracted(lumma, programWith(texts.map((text) => sealed(text)))), undefined);
  });

  it('are cut to so many, and found in time among a million signs', () => {
    const texts = Array.from({ length: 20_000 }, (_, place) => sealed(`h${place}.example.invalid`));
    const spent = startStopwatch();
    const found = extracted(lumma, programWith(texts));
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.equal(found.endpoints.length, 1000);
    assert.equal(extracted(lumma, programWith(['A'.repeat(4_000_000)])), undefined);
    assert.ok(spent() < 15_000);
  });

  it('are not looked for when time is over', () => {
    const bytes = fixture('analysis/families/lumma-base64.exe');
    assert.equal(extracted(lumma, bytes, { isOver: () => true }), undefined);
  });

  it('never fail, whatever the bytes', () => {
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
