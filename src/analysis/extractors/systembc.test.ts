import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extracted } from '../../../test/analysis/extraction.ts';
import { fixture } from '../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import { peOf } from '../../../test/analysis/pe-builder.ts';
import { startStopwatch } from '../../../test/stopwatch.ts';
import { unXor } from '../codecs/xor-search.ts';
import { systembc } from './systembc.ts';

const read = (name: string) =>
  extracted(systembc, fixture(`analysis/families/systembc-${name}.exe`));

function block(entries: readonly string[]): Buffer {
  return Buffer.from(`BEGINDATA\0${entries.join('\0')}\0\x01`, 'latin1');
}

describe('settings of SystemBC', () => {
  it('are read if they are not encoded', () => {
    assert.deepEqual(read('plain'), {
      endpoints: [
        { protocol: 'tcp', usage: 'c2', host: 'sbc.example.invalid', port: 4001 },
        { protocol: 'tcp', usage: 'c2', host: '192.0.2.15', port: 4001 },
      ],
      other: { 'DNS Servers': '192.0.2.53, 192.0.2.54' },
      heuristic: true,
      offset: 1600,
    });
  });

  it('are read under a key of 40 bytes before or after them', () => {
    const expected = {
      endpoints: [
        { protocol: 'tcp', usage: 'c2', host: 'sbc.example.invalid', port: 443 },
        { protocol: 'tcp', usage: 'c2', host: '[2001:db8::15]', port: 443 },
      ],
      other: { Tor: '1' },
      heuristic: true,
    };
    assert.deepEqual(read('sealed'), { ...expected, offset: 1640 });
    assert.deepEqual(read('key-behind'), { ...expected, offset: 1600 });
  });

  it('are read if zeros between them expose the start of the key', () => {
    const key = Buffer.from(Array.from({ length: 40 }, (_, index) => (index * 37 + 11) & 0xff));
    // The second entry starts at 64: the zeros before it expose the first bytes of the repeated
    // key.
    const host = `HOST1:a.example.invalid${'\0'.repeat(30)}`;
    const plain = block([host, 'PORT1:80']);
    const encrypted = plain.map((byte, index) => byte ^ (key[index % 40] ?? 0));
    const data = Buffer.concat([Buffer.from([1, 2, 3]), encrypted, key]);
    const found = extracted(systembc, peOf(data));
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.deepEqual(found.endpoints, [
      { protocol: 'tcp', usage: 'c2', host: 'a.example.invalid', port: 80 },
    ]);
  });

  it('are recognised if they are an unbuilt template', () => {
    assert.deepEqual(read('template'), { unread: 'template that was never built', offset: 1600 });
  });

  it('are not read if the port is missing or invalid, or the host is invalid', () => {
    assert.equal(read('damaged'), undefined);
    for (const entries of [
      ['HOST1:a.example.invalid', 'PORT1:70000'],
      ['HOST1:nothing', 'PORT1:80'],
      ['HOST1:a.example.invalid', 'other', 'PORT1:80'],
      [`HOST1:${'a.'.repeat(200)}invalid`, 'PORT1:80'],
    ])
      assert.equal(extracted(systembc, block(entries)), undefined, entries.join());
  });

  it('are read under any single byte, each host with the port of its number', () => {
    const entries = ['HOST1:a.example.invalid', 'HOST2:b.example.invalid', 'PORT1:80', 'PORT2:81'];
    assert.deepEqual(extracted(systembc, unXor(block(entries), 0x5a)), {
      endpoints: [
        { protocol: 'tcp', usage: 'c2', host: 'a.example.invalid', port: 80 },
        { protocol: 'tcp', usage: 'c2', host: 'b.example.invalid', port: 81 },
      ],
      other: {},
      heuristic: true,
      offset: 0,
    });
  });

  it('name no server if several blocks, or entries of one name, differ', () => {
    const first = block(['HOST1:a.example.invalid', 'PORT1:80']);
    const second = block(['HOST1:b.example.invalid', 'PORT1:80']);
    const found = extracted(systembc, Buffer.concat([first, unXor(second, 0x5a)]));
    assert.ok(found !== undefined && 'unread' in found, JSON.stringify(found));
    const hidden = Buffer.concat([fixture('analysis/families/systembc-sealed.exe'), first]);
    const beside = extracted(systembc, hidden);
    assert.ok(beside !== undefined && 'unread' in beside, JSON.stringify(beside));
    const twice = block(['HOST1:a.example.invalid', 'PORT1:80', 'HOST1:b.example.invalid']);
    assert.equal(extracted(systembc, twice), undefined);
  });

  it('are looked for in time, in data that begins like a block everywhere', () => {
    const spent = startStopwatch();
    assert.equal(
      extracted(systembc, Buffer.from('BEGINDATA\0HOST1:\0'.repeat(100_000))),
      undefined,
    );
    const noise = Buffer.from(
      Array.from({ length: 60_000 }, (_, index) => (index * 31 + (index >> 8)) & 0xff),
    );
    assert.equal(extracted(systembc, peOf(noise)), undefined);
    assert.ok(spent() < 10_000);
  });

  it('do not fail on arbitrary bytes', () => {
    for (const name of ['plain', 'sealed', 'key-behind']) {
      fc.assert(
        fc.property(hostileVariants(fixture(`analysis/families/systembc-${name}.exe`)), (bytes) => {
          void extracted(systembc, bytes);
        }),
        fuzzSettings(),
      );
    }
  });
});
