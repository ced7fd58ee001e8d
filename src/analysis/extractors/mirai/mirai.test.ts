import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extracted } from '../../../../test/analysis/extraction.ts';
import { inspect } from '../../../../test/analysis/findings.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { upx } from '../../formats/upx/upx.ts';
import type { Extraction } from '../extractor.ts';
import { mirai } from './mirai.ts';

const sample = (name: string) => fixture(`analysis/families/mirai-${name}.elf`);
const plain = sample('plain');
const c2 = (host: string, port?: number) => ({ protocol: 'tcp', usage: 'c2', host, port });
const upload = (host: string) => ({ protocol: 'tcp', usage: 'upload', host, port: 48_101 });
const usual = {
  endpoints: [c2('cnc.example.invalid', 23), upload('report.example.invalid')],
  other: { 'Botnet Name': 'MIRAI', 'Table Key': '0x22' },
  capabilities: ['TELNET_SCANNER', 'DDOS_ATTACKS'],
};

/** A header without sections and segments. */
const HEADER = Buffer.from(plain.subarray(0, 52)).fill(0, 24);

/** An ELF header, a text, and encoded texts with terminators; ports have none. */
function program(key: number, texts: readonly (string | number)[]): Buffer {
  const hidden = texts.map((text) => {
    const bytes =
      typeof text === 'string'
        ? Buffer.from(`${text}\0`, 'latin1')
        : Buffer.from([text >> 8, text & 0xff]);
    return Buffer.concat([bytes.map((byte) => byte ^ key), Buffer.alloc(1)]);
  });
  return Buffer.concat([HEADER, Buffer.from('printed\0'), ...hidden]);
}

/** The settings of a program that has some. */
function settingsOf(bytes: Buffer): Extraction {
  const found = extracted(mirai, bytes);
  assert.ok(found !== undefined && 'endpoints' in found, JSON.stringify(found));
  return found;
}

const UNKNOWN_C2 = 'it is not certain which server is the C2';
const WORDS = ['/bin/busybox AB', 'AB: applet not found', 'ncorrect', 'assword', '/proc/'];

describe('settings of Mirai', () => {
  it('are the servers of its table, each with its port', () => {
    assert.deepEqual(extracted(mirai, plain), { ...usual, offset: 188 });
  });

  it('are read under a key that is a letter of the names, from the code', () => {
    assert.deepEqual(extracted(mirai, sample('other-key')), {
      ...usual,
      endpoints: [
        c2('192.0.2.66', 6667),
        upload('report.example.invalid'),
        c2('first.fixture.example.invalid', 1024),
        { ...c2('198.51.100.9'), usage: 'other' },
      ],
      other: { 'Botnet Name': 'SORA', 'Table Key': '0x66' },
      offset: 2560,
    });
  });

  it('keep letters that equal the key, and names that share bytes', () => {
    const { endpoints, other } = settingsOf(sample('calls'));
    assert.deepEqual(endpoints, [
      c2('trout.example.invalid', 6667),
      upload('report.trout.example.invalid'),
    ]);
    assert.deepEqual(other, { 'Botnet Name': 'tROUt', 'Table Key': '0x74' });
  });

  it('are not reported under such a key if no code states where a name starts', () => {
    assert.deepEqual(extracted(mirai, sample('ambiguous')), {
      unread: 'the key is a character of names, so it is not certain where a server begins',
      offset: 444,
    });
  });

  it('have their ports if a byte of one equals the key', () => {
    const names = ['first', 'cnc.example.invalid'];
    const scanner = ['report.example.invalid', 48_101];
    for (const port of [0x2201, 0x9922, 0x0122]) {
      const { endpoints } = settingsOf(program(0x22, [...names, port, ...scanner, ...WORDS]));
      assert.deepEqual(endpoints[0], c2('cnc.example.invalid', port), port.toString(16));
    }
  });

  it('are not reported if the compiler may have moved a server or a port', () => {
    const name = 'a-name-too-long-for-the-others.example.invalid';
    const [first, second] = ['a.example.invalid', 'b.example.invalid'] as const;
    const moved: readonly (readonly (string | number)[])[] = [
      [name, 'Accept: */*', 6667, second, 48_101],
      [name, second],
      [first, 48_101],
      [first, 'GET ', 48_101],
      ['word', 23, first, 9555],
      [first, 23, 'GET ', second, 48_101],
    ];
    for (const texts of moved) {
      const found = extracted(mirai, program(0x22, [...texts, ...WORDS]));
      assert.deepEqual(found && 'unread' in found && found.unread, UNKNOWN_C2, texts.join());
    }
  });

  it('are not reported if the name follows code or numbers, which may decode to letters', () => {
    const table = program(0x22, ['cnc.example.invalid', 23, ...WORDS]).subarray(HEADER.length + 8);
    for (const before of ['1eff2fe1', '0000000000000005', '01020304', '2a000000']) {
      const bytes = Buffer.concat([HEADER, Buffer.from(before, 'hex'), table]);
      const found = extracted(mirai, bytes);
      assert.ok(found !== undefined && 'unread' in found, before);
    }
  });

  it('never have the server for scan results as a C2', () => {
    const usages = (texts: readonly (string | number)[]) =>
      settingsOf(program(0x22, [...texts, ...WORDS])).endpoints.map(
        ({ host, usage }) => `${host} ${usage}`,
      );
    const [first, second] = ['a.example.invalid', 'b.example.invalid'] as const;
    const third = 'c.example.invalid';
    for (const texts of [
      [first, 23],
      [first, second],
      [first, 23, second, 9555],
    ]) {
      const found = extracted(mirai, program(0x22, [...texts, ...WORDS]));
      assert.ok(found !== undefined && 'unread' in found, String(texts));
    }
    assert.deepEqual(usages([first, 23, second, 48_101, third, 24]), [
      `${first} c2`,
      `${second} upload`,
      `${third} c2`,
    ]);
  });

  it('are not reported if there are two tables with different servers', () => {
    const scanner = ['report.example.invalid', 48_101];
    const table = (key: number, host: string) =>
      program(key, ['first', host, 23, ...scanner, ...WORDS]).subarray(HEADER.length);
    const both = (keys: readonly [number, number], hosts: readonly [string, string]) =>
      extracted(
        mirai,
        Buffer.concat([
          HEADER,
          table(keys[0], hosts[0]),
          Buffer.alloc(9000),
          table(keys[1], hosts[1]),
        ]),
      );
    for (const keys of [
      [0x22, 0x22],
      [0x22, 0x9f],
    ] as const) {
      const found = both(keys, ['a.example.invalid', 'b.example.invalid']);
      assert.ok(found !== undefined && 'unread' in found, JSON.stringify(found));
      const same = both(keys, ['a.example.invalid', 'a.example.invalid']);
      assert.ok(same !== undefined && 'endpoints' in same, JSON.stringify(same));
    }
  });

  it('are read from UPX with overwritten marks', async () => {
    const packed = sample('upx-no-marks');
    assert.equal(extracted(mirai, packed), undefined);
    const { nested } = await inspect(upx, packed);
    const found = extracted(mirai, nested[0]?.bytes ?? Buffer.alloc(0));
    assert.deepEqual(found, { ...usual, offset: 188 });
  });

  it('are missing if the table has no server, and the family is recognised', () => {
    assert.deepEqual(extracted(mirai, sample('no-server')), {
      unread: 'no server in the table',
      offset: 8302,
    });
  });

  it('are not read from truncated or damaged files', () => {
    assert.equal(extracted(mirai, sample('cut')), undefined);
    assert.equal(extracted(mirai, sample('damaged')), undefined);
  });

  it('are not found in upper-case text, which is text under the key 20', () => {
    const words = 'INCORRECT PASSWORD, ENABLE SHELL AND SYSTEM SHELL. ';
    assert.equal(
      extracted(mirai, Buffer.concat([plain.subarray(0, 52), Buffer.from(words)])),
      undefined,
    );
  });

  it('are not found if the words are not encoded', () => {
    assert.equal(extracted(mirai, program(0, ['cnc.example.invalid', ...WORDS])), undefined);
  });

  it('omit invalid and benign names', () => {
    const found = extracted(
      mirai,
      program(0x22, ['127.0.0.1', 'main.cc', 'www.w3.org', 'a b.example.invalid', '-x', ...WORDS]),
    );
    assert.deepEqual(found, { unread: 'no server in the table', offset: 117 });
  });

  it('are limited to the maximum number of servers', () => {
    const many = Array.from({ length: 3000 }, (_, index) => [`h${index}.example.invalid`, 23]);
    const few = ['cnc.example.invalid', 23, 'report.example.invalid', 48_101];
    const { endpoints } = settingsOf(program(0x22, [...WORDS, ...few, ...many.flat()]));
    assert.ok(endpoints.length > 0 && endpoints.length <= 1000);
  });

  it('do not fail on damaged files', () => {
    fc.assert(
      fc.property(hostileVariants(plain), (bytes) => {
        extracted(mirai, bytes);
      }),
      fuzzSettings(),
    );
  });
});
