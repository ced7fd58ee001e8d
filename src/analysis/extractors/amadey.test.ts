import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extracted } from '../../../test/analysis/extraction.ts';
import { fixture } from '../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import { addressInPe, peOf } from '../../../test/analysis/pe-builder.ts';
import { startStopwatch } from '../../../test/stopwatch.ts';
import { amadey } from './amadey.ts';

const read = (name: string) => extracted(amadey, fixture(`analysis/families/${name}`));

/** A key of the first character of the alphabet shifts nothing, so texts are plain base64. */
const KEY = '0'.repeat(32);

/** A program with a table of the key and these texts. */
function programWith(texts: readonly string[]): Buffer {
  const table = [KEY, ...texts.map((text) => Buffer.from(text).toString('base64'))];
  const codeBytes = table.length * 29;
  let textOffset = codeBytes;
  const code = table.map((text) => {
    const call = Buffer.alloc(29);
    call.set([0x6a, text.length, 0x68]);
    call.writeUInt32LE(addressInPe(textOffset), 3);
    for (const [at, byte] of [
      [7, 0xb9],
      [12, 0xe8],
      [17, 0x68],
      [22, 0xe8],
      [27, 0x59],
      [28, 0xc3],
    ] as const)
      call[at] = byte;
    textOffset += text.length + 1;
    return call;
  });
  return peOf(Buffer.concat([...code, Buffer.from(`${table.join('\0')}\0`)]));
}

const WORDS = ['one', 'two', 'three', 'four', 'five', 'six'];

describe('settings of Amadey', () => {
  it('are read from the table of texts, with all servers', () => {
    assert.deepEqual(read('amadey-plain.exe'), {
      version: '4.41',
      campaign: ['f1c2d3'],
      endpoints: [
        { protocol: 'http', usage: 'c2', url: 'http://192.0.2.41/f1xture/index.php' },
        { protocol: 'http', usage: 'c2', url: 'http://second.example.invalid/other/index.php' },
      ],
      other: { 'Install Folder': 'abcdef0123', 'Install File': 'fixture.exe' },
      offset: 2080,
    });
  });

  it('have no name of a file as their server', () => {
    const texts = ['fixture.exe', '/b/index.php', ...WORDS];
    assert.equal(extracted(amadey, programWith(texts)), undefined);
  });

  it('are read with a port after the host', () => {
    const found = extracted(
      amadey,
      programWith(['a.example.invalid:8080', '/b/index.php', ...WORDS]),
    );
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.equal(found.endpoints[0]?.url, 'http://a.example.invalid:8080/b/index.php');
  });

  it('are read from a 64-bit program, with the other order of the alphabet', () => {
    assert.deepEqual(read('amadey-wide.exe'), {
      version: '5.10',
      campaign: ['a1b2c3'],
      endpoints: [
        { protocol: 'http', usage: 'c2', url: 'http://amadey.example.invalid/Zu7JuNko/index.php' },
      ],
      other: { 'Install Folder': '0123456789', 'Install File': 'other.exe' },
      offset: 2080,
    });
  });

  it('are not read if the key is missing', () => {
    assert.equal(read('amadey-damaged.exe'), undefined);
  });

  it('are not read without a host before its page, or with too few texts', () => {
    assert.notEqual(
      extracted(amadey, programWith(['a.example.invalid', '/b/index.php', ...WORDS])),
      undefined,
    );
    assert.equal(
      extracted(amadey, programWith(['/b/index.php', 'a.example.invalid', ...WORDS])),
      undefined,
    );
    assert.equal(
      extracted(amadey, programWith(['a.example.invalid', '/b/index.php', 'few'])),
      undefined,
    );
  });

  it('are limited to the maximum number of servers, in time', () => {
    const servers = Array.from({ length: 9000 }, (_, index) => [
      `h${index}.example.invalid`,
      '/b/index.php',
    ]);
    const spent = startStopwatch();
    const found = extracted(amadey, programWith(servers.flat()));
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.equal(found.endpoints.length, 16);
    assert.ok(spent() < 10_000);
  });

  it('are not searched when the time budget is used up', () => {
    for (const name of ['amadey-plain.exe', 'amadey-wide.exe'])
      assert.equal(
        extracted(amadey, fixture(`analysis/families/${name}`), { isOver: () => true }),
        undefined,
      );
  });

  it('do not fail on arbitrary bytes', () => {
    for (const name of ['amadey-plain.exe', 'amadey-wide.exe']) {
      fc.assert(
        fc.property(hostileVariants(fixture(`analysis/families/${name}`)), (bytes) => {
          void extracted(amadey, bytes);
        }),
        fuzzSettings(),
      );
    }
  });
});
