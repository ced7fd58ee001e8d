import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extracted } from '../../../test/analysis/extraction.ts';
import { fixture } from '../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import { addressInPe, peOf } from '../../../test/analysis/pe-builder.ts';
import { startStopwatch } from '../../../test/stopwatch.ts';
import { stealc } from './stealc.ts';

const read = (name: string) => extracted(stealc, fixture(`analysis/families/${name}`));

/** A program that decodes these strings, XORed with zeros. */
function programWith(texts: readonly string[]): Buffer {
  const encrypted = Buffer.from(texts.join(''), 'latin1');
  const zeros = Buffer.alloc(128);
  const codeBytes = texts.length * 17;
  let textOffset = codeBytes + zeros.length;
  const calls = texts.map((text) => {
    const call = Buffer.alloc(17);
    call.set([0x6a, text.length, 0x68]);
    call.writeUInt32LE(addressInPe(codeBytes), 3);
    call[7] = 0x68;
    call.writeUInt32LE(addressInPe(textOffset), 8);
    call[12] = 0xe8;
    textOffset += text.length;
    return call;
  });
  return peOf(Buffer.concat([...calls, zeros, encrypted]));
}

const WORDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];

describe('settings of StealC', () => {
  it('are read from the strings that the program decodes', () => {
    assert.deepEqual(read('stealc-plain.exe'), {
      campaign: ['default'],
      endpoints: [{ protocol: 'http', usage: 'c2', url: 'http://192.0.2.71/f1xture00000000.php' }],
      other: { 'Library Path': '/9f8e7d6c5b4a3921/' },
      offset: 1097,
    });
  });

  it('are read if the scheme is a separate string, with several servers', () => {
    assert.deepEqual(read('stealc-scheme.exe'), {
      campaign: ['market7'],
      endpoints: [
        { protocol: 'https', usage: 'c2', url: 'https://stealc.example.invalid:8443/gate.php' },
        { protocol: 'http', usage: 'c2', url: 'http://second.example.invalid/gate.php' },
      ],
      other: { 'Library Path': '/lib/' },
      offset: 1097,
    });
  });

  it('are not read if the strings do not decode', () => {
    assert.equal(read('stealc-damaged.exe'), undefined);
  });

  it('are not read without a page, with too few strings, or with many unreadable ones', () => {
    const server = ['http://192.0.2.1', '/a.php'];
    assert.notEqual(extracted(stealc, programWith([...server, ...WORDS])), undefined);
    assert.equal(extracted(stealc, programWith(['http://192.0.2.1', ...WORDS])), undefined);
    assert.equal(extracted(stealc, programWith([...server, 'few'])), undefined);
    const noise = Array<string>(20).fill('\x01\x02');
    assert.equal(extracted(stealc, programWith([...server, ...WORDS, ...noise])), undefined);
    assert.equal(
      extracted(stealc, programWith(['http://192.0.2.1 /x', '/a.php', ...WORDS])),
      undefined,
    );
  });

  it('are limited to the maximum number of servers, in time', () => {
    const servers = Array.from({ length: 9000 }, (_, index) => [
      `http://h${index}.example.invalid`,
      '/a.php',
    ]);
    const spent = startStopwatch();
    const found = extracted(stealc, programWith(servers.flat()));
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.equal(found.endpoints.length, 16);
    assert.ok(spent() < 10_000);
  });

  it('are not searched when the time budget is used up', () => {
    const bytes = fixture('analysis/families/stealc-plain.exe');
    assert.equal(extracted(stealc, bytes, { isOver: () => true }), undefined);
  });

  it('do not fail on arbitrary bytes', () => {
    const good = fixture('analysis/families/stealc-plain.exe');
    fc.assert(
      fc.property(hostileVariants(good), (bytes) => void extracted(stealc, bytes)),
      fuzzSettings(),
    );
  });
});
