import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extracted } from '../../../../test/analysis/extraction.ts';
import { inspect } from '../../../../test/analysis/findings.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { upx } from '../../formats/upx/upx.ts';
import { mirai } from './mirai.ts';

const sample = (name: string) => fixture(`analysis/families/mirai-${name}.elf`);
const plain = sample('plain');
const c2 = (host: string, port?: number) => ({ protocol: 'tcp', usage: 'c2', host, port });
const usual = {
  endpoints: [
    c2('cnc.example.invalid', 23),
    { protocol: 'tcp', usage: 'upload', host: 'report.example.invalid', port: 48_101 },
  ],
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

const WORDS = ['/bin/busybox AB', 'AB: applet not found', 'ncorrect', 'assword', '/proc/'];

describe('settings of Mirai', () => {
  it('are the servers of its table, each with its port', () => {
    assert.deepEqual(extracted(mirai, plain), { ...usual, offset: 188 });
  });

  it('are read under a key that is a letter of the names', () => {
    assert.deepEqual(extracted(mirai, sample('other-key')), {
      ...usual,
      endpoints: [
        c2('192.0.2.66', 6667),
        c2('first.fixture.example.invalid', 1024),
        c2('198.51.100.9'),
      ],
      other: { 'Botnet Name': 'SORA', 'Table Key': '0x66' },
      offset: 320,
    });
  });

  it('have their ports if a byte of one equals the key', () => {
    const names = ['first', 'cnc.example.invalid'];
    for (const port of [0x2250, 0x5022, 0x0122]) {
      const found = extracted(mirai, program(0x22, [...names, port, ...WORDS]));
      assert.ok(found !== undefined && 'endpoints' in found);
      assert.deepEqual(found.endpoints, [c2('cnc.example.invalid', port)]);
    }
    const empty = extracted(mirai, program(0x22, [...names, '', ...WORDS]));
    assert.ok(empty !== undefined && 'endpoints' in empty);
    assert.deepEqual(empty.endpoints, [c2('cnc.example.invalid')]);
  });

  it('have their ports if the compiler separates names and ports', () => {
    const name = 'a-name-too-long-for-the-others.example.invalid';
    const scattered = [name, 'Accept: */*', 6667, 'b.example.invalid', 48_101, ...WORDS];
    const found = extracted(mirai, program(0x22, scattered));
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.deepEqual(found.endpoints, [
      c2(name, 6667),
      { protocol: 'tcp', usage: 'upload', host: 'b.example.invalid', port: 48_101 },
    ]);
  });

  it('have no port if parts of a divided word look like one', () => {
    // The key r splits "/proc/" into "/p" and "oc/".
    const name = 'a-name-too-long-for-the-others.example.invalid';
    const found = extracted(mirai, program(0x72, ['xx', name, ...WORDS]));
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.deepEqual(found.endpoints, [c2(name)]);
    const behind = extracted(
      mirai,
      program(0x64, ['xx', 'a.example.invalid', ' (deleted)', ...WORDS]),
    );
    assert.ok(behind !== undefined && 'endpoints' in behind);
    assert.deepEqual(behind.endpoints, [c2('a.example.invalid')]);
  });

  it('are not reported if the name follows code or numbers, which may decode to letters', () => {
    const table = program(0x22, ['cnc.example.invalid', 23, ...WORDS]).subarray(HEADER.length + 8);
    for (const before of ['1eff2fe1', '0000000000000005', '01020304', '2a000000']) {
      const bytes = Buffer.concat([HEADER, Buffer.from(before, 'hex'), table]);
      const found = extracted(mirai, bytes);
      assert.ok(found !== undefined && 'unread' in found, before);
    }
  });

  it('start after the number of the C library, whatever its bytes decode to', () => {
    for (const number of ['01000200', '00020001']) {
      const table = program(0x74, ['trout.example.invalid', 6667, 'x', ...WORDS]);
      const bytes = Buffer.concat([
        HEADER,
        Buffer.from(number, 'hex'),
        table.subarray(HEADER.length + 8),
      ]);
      const found = extracted(mirai, bytes);
      assert.ok(found !== undefined && 'endpoints' in found);
      assert.deepEqual(found.endpoints, [c2('trout.example.invalid', 6667)]);
    }
  });

  it('never have the server for scan results as a C2', () => {
    const usages = (texts: readonly (string | number)[]) => {
      const found = extracted(mirai, program(0x22, [...texts, ...WORDS]));
      assert.ok(found !== undefined && 'endpoints' in found);
      return found.endpoints.map(({ host, usage }) => `${host} ${usage}`);
    };
    const [first, second] = ['a.example.invalid', 'b.example.invalid'] as const;
    assert.deepEqual(usages([second, 48_101]), [`${second} upload`]);
    assert.deepEqual(usages([second, 48_101, first, 23]), [`${second} upload`, `${first} c2`]);
    assert.deepEqual(usages([first, second]), [`${first} c2`, `${second} other`]);
    // One port for three servers is ambiguous.
    const three = [first, second, 'c.example.invalid', 'GET', 48_101];
    assert.deepEqual(new Set(usages(three).map((one) => one.split(' ')[1])), new Set(['other']));
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
      offset: 8266,
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
      program(0x37, ['127.0.0.1', 'main.cc', 'www.w3.org', 'a b.example.invalid', '-x', ...WORDS]),
    );
    assert.deepEqual(found, { unread: 'no server in the table', offset: 117 });
  });

  it('are limited to the maximum number of servers', () => {
    const many = Array.from({ length: 3000 }, (_, index) => `h${index}.example.invalid`);
    const texts = many.flatMap((host, index) => (index % 50 === 0 ? [host, ...WORDS] : [host]));
    const found = extracted(mirai, program(0x22, texts));
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.equal(found.endpoints.length, 1000);
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
