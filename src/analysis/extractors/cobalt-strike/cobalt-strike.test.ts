import assert from 'node:assert/strict';
import { createPublicKey, hash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extracted } from '../../../../test/analysis/extraction.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { unXor } from '../../codecs/xor-search.ts';
import { cobaltStrike } from './cobalt-strike.ts';
import { beaconSettingsAt } from './settings.ts';

const read = (name: string) => extracted(cobaltStrike, fixture(`analysis/families/${name}`));

/** Settings that all fixtures share. */
const OTHER = {
  'Sleep Time': '60000',
  Jitter: '37',
  'User Agent': 'Mozilla/5.0 (Windows NT 10.0; Fixture)',
  'Submit URI': '/submit.php',
  'GET Verb': 'GET',
  'POST Verb': 'POST',
  'Host Header': 'Host: front.example.invalid',
  'Spawn To x86': '%windir%\\syswow64\\rundll32.exe',
  'Spawn To x64': '%windir%\\sysnative\\rundll32.exe',
  Watermark: '305419896',
  'Kill Date': '2027-12-31',
  'Public Key MD5': '7033888e37684c0969aef8844e7639f5',
};

function entry(number: number, type: number, value: Buffer): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt16BE(number, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(value.length, 4);
  return Buffer.concat([head, value]);
}

function short(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}

/** Settings of an HTTP beacon with these servers and the minimum of others. */
function beacon(servers: string, more: readonly Buffer[] = []): Buffer {
  const rest = Array.from({ length: 8 }, (_, index) => entry(100 + index, 1, short(index)));
  const parts = [
    entry(1, 1, short(0)),
    entry(2, 1, short(80)),
    entry(8, 3, Buffer.from(servers, 'latin1')),
  ];
  return Buffer.concat([...parts, ...rest, ...more, Buffer.alloc(16)]);
}

describe('settings of a Cobalt Strike beacon', () => {
  it('are read under the key of version 4', () => {
    assert.deepEqual(read('cobalt-strike-https.exe'), {
      endpoints: [
        { protocol: 'https', usage: 'c2', host: 'cs.example.invalid', port: 443 },
        { protocol: 'https', usage: 'c2', host: '192.0.2.80', port: 443 },
      ],
      other: { 'Beacon Type': 'HTTPS', 'C2 URIs': '/jquery-3.3.1.min.js, /ptj', ...OTHER },
      offset: 1576,
    });
  });

  it('are read under the key of version 3, of a pipe beacon', () => {
    assert.deepEqual(read('cobalt-strike-smb.exe'), {
      endpoints: [],
      other: {
        'Beacon Type': 'SMB',
        Port: '4444',
        'Sleep Time': '10000',
        Jitter: '0',
        'Pipe Name': '\\\\.\\pipe\\fixture_f1x',
        'Spawn To x86': '%windir%\\syswow64\\rundll32.exe',
        Watermark: '0',
        'Public Key MD5': OTHER['Public Key MD5'],
      },
      offset: 1576,
    });
  });

  it('are read if they are not encoded', () => {
    assert.deepEqual(read('cobalt-strike-dns.exe'), {
      endpoints: [
        { protocol: 'dns', usage: 'c2', host: 'ns1.example.invalid', port: 53 },
        { protocol: 'dns', usage: 'c2', host: 'ns2.example.invalid', port: 53 },
      ],
      other: { 'Beacon Type': 'DNS', 'C2 URIs': '/x', ...OTHER },
      offset: 1576,
    });
  });

  it('are read from an encoded stage', () => {
    const expected = {
      endpoints: [{ protocol: 'http', usage: 'c2', host: 'staged.example.invalid', port: 8080 }],
      other: { 'Beacon Type': 'HTTP', 'C2 URIs': '/pixel', ...OTHER },
      offset: 63,
    };
    assert.deepEqual(read('cobalt-strike-encoded.bin'), expected);
    assert.deepEqual(read('cobalt-strike-encoded-size.bin'), expected);
  });

  it('have a public key in DER, of which the digest is reported without the padding', () => {
    const bytes = fixture('analysis/families/cobalt-strike-https.exe');
    const padded = beaconSettingsAt(bytes, 1576, 0x2e)?.get(7)?.value ?? Buffer.alloc(0);
    const der = padded.subarray(0, 3 + (padded[2] ?? 0));
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    assert.equal(key.asymmetricKeyDetails?.modulusLength, 1024);
    assert.equal(padded.length, 256);
    assert.equal(hash('md5', der), OTHER['Public Key MD5']);
  });

  it('are read if the user agent and the requests exceed their nominal size', () => {
    assert.deepEqual(read('cobalt-strike-long.exe'), {
      endpoints: [{ protocol: 'https', usage: 'c2', host: 'long.example.invalid', port: 443 }],
      other: {
        'Beacon Type': 'HTTPS',
        'C2 URIs': '/jquery-3.3.1.min.js',
        ...OTHER,
        'User Agent': `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0 Fixture/${'1.'.repeat(20)}0`,
      },
      offset: 1576,
    });
    const settings = beaconSettingsAt(
      fixture('analysis/families/cobalt-strike-long.exe'),
      1576,
      0x2e,
    );
    const lengths = [9, 12, 13].map((number) => settings?.get(number)?.value.length);
    assert.deepEqual(lengths, [175, 314, 310]);
  });

  it('are not read if a value exceeds its length and no setting follows it', () => {
    assert.equal(read('cobalt-strike-long-damaged.exe'), undefined);
    const overlong = (number: number, value: Buffer) => {
      const bytes = entry(number, 3, value);
      bytes.writeUInt16BE(16, 4);
      return bytes;
    };
    const steps = (...words: number[]) =>
      Buffer.concat(words.map((word) => Buffer.from([0, 0, word >> 8, word & 0xff])));
    const readAfter = (value: Buffer) =>
      extracted(
        cobaltStrike,
        beacon('a.example.invalid,/x', [value, entry(26, 3, Buffer.from('GET'))]),
      );
    const readable = [
      overlong(9, Buffer.from('Mozilla/5.0 (Fixture; long)')),
      overlong(12, steps(3, 3, 3, 3, 3, 0)),
      // The last step is missing.
      overlong(13, steps(3, 3, 3, 3, 7, 1, 15)),
    ];
    for (const value of readable) assert.notEqual(readAfter(value), undefined);
    const unreadable = [
      overlong(9, Buffer.from('Mozilla/5.0 (Fix\x01ure; long)')),
      overlong(10, Buffer.from('/submit/a/long/path')),
    ];
    for (const value of unreadable) assert.equal(readAfter(value), undefined);
    const invalid = [steps(3, 3, 3, 3, 17, 0), steps(3, 3, 3, 3, 1, 0x7fff, 0)];
    for (const request of invalid)
      assert.equal(beaconSettingsAt(overlong(12, request), 0, 0)?.get(12)?.value.length, 16);
  });

  it('are not decoded beyond the budget', () => {
    const bytes = fixture('analysis/families/cobalt-strike-encoded.bin');
    assert.equal(extracted(cobaltStrike, bytes, { bytes: 100 }), undefined);
  });

  it('are recognised if they name no server or are guardrailed', () => {
    assert.deepEqual(read('cobalt-strike-template.exe'), {
      unread: 'the settings name no server',
      offset: 1576,
    });
    assert.deepEqual(read('cobalt-strike-guardrails.exe'), {
      unread: 'guardrailed: its settings open only on the machine they are meant for',
      offset: 7720,
    });
  });

  it('are read from a guardrailed beacon with unused space', () => {
    assert.deepEqual(read('cobalt-strike-guardrails-open.exe'), {
      endpoints: [
        { protocol: 'https', usage: 'c2', host: 'cs.example.invalid', port: 443 },
        { protocol: 'https', usage: 'c2', host: '192.0.2.80', port: 443 },
      ],
      other: {
        'Beacon Type': 'HTTPS',
        'C2 URIs': '/jquery-3.3.1.min.js, /ptj',
        ...OTHER,
        Guardrails: 'user, computer, domain',
      },
      offset: 7720,
    });
  });

  it('are read from an encoded stage inside a program, after its stub', () => {
    const stage = fixture('analysis/families/cobalt-strike-encoded.bin');
    const found = extracted(cobaltStrike, Buffer.concat([Buffer.alloc(3000, 0xff), stage]));
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.equal(found.offset, 3000 + 63);
  });

  it('are not read if a setting has an unexpected type', () => {
    const sleep = entry(3, 3, Buffer.alloc(4));
    assert.equal(extracted(cobaltStrike, beacon('a.example.invalid,/x', [sleep])), undefined);
  });

  it('are not read if an entry is wrong, the end is missing, or only the start matches', () => {
    for (const name of ['damaged.exe', 'cut.bin', 'lookalike.exe'])
      assert.equal(read(`cobalt-strike-${name}`), undefined, name);
    const whole = beacon('a.example.invalid,/x');
    assert.notEqual(extracted(cobaltStrike, whole), undefined);
    assert.equal(extracted(cobaltStrike, whole.subarray(0, whole.length - 16)), undefined);
  });

  it('are found after any number of decoys', () => {
    const decoy = beacon('').subarray(0, 20);
    const bytes = Buffer.concat([
      ...Array<Buffer>(900).fill(decoy),
      beacon('a.example.invalid,/x'),
    ]);
    const found = extracted(cobaltStrike, unXor(bytes, 0x77));
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.equal(found.endpoints.length, 1);
  });

  it('name no server if several beacons of one file differ in it', () => {
    const [first, second] = [beacon('a.example.invalid,/x'), beacon('b.example.invalid,/x')];
    const found = extracted(cobaltStrike, Buffer.concat([unXor(first, 0x2e), second]));
    assert.ok(found !== undefined && 'unread' in found, JSON.stringify(found));
    const same = extracted(cobaltStrike, Buffer.concat([unXor(first, 0x2e), first]));
    assert.ok(same !== undefined && 'endpoints' in same);
    const stage = fixture('analysis/families/cobalt-strike-encoded.bin');
    const beside = extracted(cobaltStrike, Buffer.concat([stage, first]));
    assert.ok(beside !== undefined && 'unread' in beside, JSON.stringify(beside));
  });

  it('are read beside those of a template', () => {
    const found = extracted(cobaltStrike, Buffer.concat([beacon(''), beacon('a.invalid,/x')]));
    assert.ok(found !== undefined && 'endpoints' in found, JSON.stringify(found));
  });

  it('are limited to the maximum number of servers and contain no invisible character', () => {
    const many = beacon(
      Array.from({ length: 1000 }, (_, index) => `h${index},`)
        .join(',')
        .slice(0, 4000),
    );
    const found = extracted(cobaltStrike, many);
    assert.ok(found !== undefined && 'endpoints' in found && found.endpoints.length <= 1000);
    const hostile = entry(9, 3, Buffer.from('a\x1b[31m\u202e'));
    const shown = extracted(cobaltStrike, beacon('__proto__,/x', [hostile]));
    assert.ok(shown !== undefined && 'endpoints' in shown);
    assert.deepEqual(shown.endpoints, [
      { protocol: 'http', usage: 'c2', host: '__proto__', port: 80 },
    ]);
    assert.equal(shown.other?.['User Agent'], undefined);
  });

  it('do not fail on arbitrary bytes', () => {
    for (const name of ['https.exe', 'encoded.bin', 'guardrails.exe', 'stager.bin']) {
      const good = fixture(`analysis/families/cobalt-strike-${name}`);
      fc.assert(
        fc.property(hostileVariants(good), (bytes) => void extracted(cobaltStrike, bytes)),
        fuzzSettings(),
      );
    }
    fc.assert(
      fc.property(hostileVariants(beacon('a.example.invalid,/x')), (bytes) => {
        void extracted(cobaltStrike, bytes);
      }),
      fuzzSettings(),
    );
  });
});

describe('a stager of Cobalt Strike', () => {
  it('gives the server of the beacon', () => {
    const other = {
      'C2 URIs': '/f1Xt',
      'User Agent': 'Mozilla/5.0 (compatible; Fixture)',
      Watermark: '305419896',
    };
    const code = fixture('analysis/families/cobalt-strike-stager.bin');
    assert.ok(code.includes(Buffer.from('51516850000000', 'hex')), 'port 80 after two empty texts');
    assert.deepEqual(read('cobalt-strike-stager.bin'), {
      endpoints: [{ protocol: 'http', usage: 'c2', host: '192.0.2.81', port: 80 }],
      other: { 'Beacon Type': 'HTTP stager', ...other },
      offset: 0,
    });
    assert.deepEqual(read('cobalt-strike-stager-xored.exe'), {
      endpoints: [{ protocol: 'https', usage: 'c2', host: 'stager.example.invalid', port: 443 }],
      other: { 'Beacon Type': 'HTTPS stager', ...other },
      offset: 1576,
    });
  });

  it('is not combined with the next one, and names no server if they differ', () => {
    const code = fixture('analysis/families/cobalt-strike-stager.bin');
    // Without its headers, as those of Metasploit.
    const other = code.subarray(0, code.indexOf('User-Agent'));
    const found = extracted(cobaltStrike, Buffer.concat([other, code]));
    assert.equal(found?.offset, other.length);
    const server = Buffer.from(
      code.toString('latin1').replace('192.0.2.81', '192.0.2.18'),
      'latin1',
    );
    const both = extracted(cobaltStrike, Buffer.concat([code, server]));
    assert.ok(both !== undefined && 'unread' in both, JSON.stringify(both));
  });

  it('is not read if its end is missing', () => {
    assert.equal(read('cobalt-strike-stager-cut.bin'), undefined);
  });

  it('is recognised if it uses DNS or a pipe', () => {
    const start = '\xfc\xe8\x89\0\0\0\x60\x89\xe5';
    const room = '\x68\0\x10\0\0\x68\xff\xff\x07\0\x6a\0\x68\x58\xa4\x53\xe5\xff\xd5';
    const library = '\x31\xc0\xb0\x70\xb4\x69\x50\x68dnsa\x54\x68\x4c\x77\x26\x07\xff\xd5';
    const dns = `${start}${room}\x83\xc0\x40\x89\xc7\x50${library}`;
    const pipe = `${start}\x68\x45\x70\xdf\xd4\xff\xd5\\\\.\\pipe\\fixture\0`;
    assert.deepEqual(extracted(cobaltStrike, Buffer.from(dns, 'latin1')), {
      unread: 'a stager that fetches the beacon by DNS',
      offset: 0,
    });
    assert.deepEqual(extracted(cobaltStrike, Buffer.from(pipe, 'latin1')), {
      unread: 'a stager that takes the beacon from a named pipe',
      offset: 0,
    });
    assert.equal(
      extracted(cobaltStrike, Buffer.from(`${start}${'\0'.repeat(500)}`, 'latin1')),
      undefined,
    );
  });
});
