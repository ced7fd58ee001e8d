import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extracted } from '../../../test/analysis/extraction.ts';
import { fixture } from '../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import { addressInPe, peOf } from '../../../test/analysis/pe-builder.ts';
import { startStopwatch } from '../../../test/stopwatch.ts';
import { rc4 } from '../codecs/rc4.ts';
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

  it('give no page of one server to another', () => {
    const lookup = ['http://lookup.example.invalid', 'GET', 'http://192.0.2.1', '/a.php'];
    const found = extracted(stealc, programWith([...lookup, ...WORDS]));
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.deepEqual(
      found.endpoints.map(({ url }) => url),
      ['http://192.0.2.1/a.php'],
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

/** Constants of a program: the key, then strings in base64 and RC4 with it. */
function programOf(texts: readonly string[], key = 'Osi2yzncUKrppHAEnF'): Buffer {
  const literals = texts.map((text) => rc4(Buffer.from(key), Buffer.from(text)).toString('base64'));
  return constants([key, ...literals]);
}

function constants(literals: readonly string[]): Buffer {
  return peOf(Buffer.from(`\0${literals.join('\0\0\0')}\0`, 'latin1'), {
    is64: true,
    characteristics: 0x4000_0040,
  });
}

const PROTOCOL = ['opcode', 'upload_file', 'access_token', 'hwid'];
const MORE_PROTOCOL = [...PROTOCOL, 'self_delete', 'take_screenshot'];
const API_NAMES = ['Sleep', 'RegCloseKey', 'GetDC', 'DeleteDC', 'wsprintfA', 'BitBlt', 'lstrcatA'];
const FILE_NAMES = ['ole32.dll', 'ntdll.dll', 'v10.txt', 'v20.txt', 'logins.json', 'places.sqlite'];
const OTHERS = [
  ...API_NAMES,
  ...FILE_NAMES,
  'POST',
  'data',
  'filename',
  'soft',
  'keys',
  'name',
  'token',
  'url',
];
const SERVER = ['http://192.0.2.9', '/a1b2c3d4e5f60718.php'];

describe('settings of StealC 2', () => {
  it('are decrypted with the key next to them', () => {
    assert.deepEqual(read('stealc-rc4.exe'), {
      version: '2',
      endpoints: [
        { protocol: 'http', usage: 'c2', url: 'http://192.0.2.72/f1f2f3f4f5f6f7f8a9b0.php' },
      ],
      other: { 'Expiration Date': '08/10/2026' },
      offset: 1608,
    });
  });

  it('are decrypted in 32-bit programs, with several servers and without a date', () => {
    assert.deepEqual(read('stealc-rc4-servers.exe'), {
      version: '2',
      endpoints: [
        { protocol: 'http', usage: 'c2', url: 'http://192.0.2.72/f1f2f3f4f5f6f7f8a9b0.php' },
        {
          protocol: 'https',
          usage: 'c2',
          url: 'https://stealc.example.invalid:8443/a1b2c3d4e5f60718.php',
        },
      ],
      other: {},
      offset: 1608,
    });
  });

  it('are not read with a wrong key, or if the program only encrypts alike', () => {
    assert.equal(read('stealc-rc4-damaged.exe'), undefined);
    assert.equal(read('stealc-rc4-lookalike.exe'), undefined);
  });

  it('name no server if its page does not follow directly', () => {
    const unread = 'the strings name no server with its page';
    assert.deepEqual(read('stealc-rc4-ambiguous.exe'), { unread, offset: 1608 });
    const [server = '', page = ''] = SERVER;
    const apart = extracted(stealc, programOf([server, ...OTHERS, page, ...MORE_PROTOCOL]));
    assert.ok(apart !== undefined && 'unread' in apart);
  });

  it('are not read from clients of other services with the same encryption', () => {
    const [server = ''] = SERVER;
    const updates = [server, '/index.php', ...PROTOCOL, ...OTHERS];
    assert.equal(extracted(stealc, programOf(updates)), undefined);
    const unread = extracted(stealc, programOf([...updates, ...MORE_PROTOCOL]));
    assert.ok(unread !== undefined && 'unread' in unread);
  });

  it('are not read with too few strings, or with few names of the protocol', () => {
    const whole = programOf([...SERVER, ...PROTOCOL, ...OTHERS]);
    assert.ok(extracted(stealc, whole) !== undefined);
    const few = programOf([...SERVER, ...PROTOCOL, ...OTHERS.slice(0, 6)]);
    assert.equal(extracted(stealc, few), undefined);
    const other = programOf([...SERVER, ...PROTOCOL.slice(1), ...OTHERS]);
    assert.equal(extracted(stealc, other), undefined);
  });

  it('are decrypted as published', () => {
    // From the references: the key, and names of functions.
    const published = [
      ...['NQIMvLX3ThCrqWi0', 'GQIKgqL0HmPhqXa9Q/E=', 'EggftpzyH1Dkv32Z', 'Gx8XpoDpEkHgvnc='],
      ...['HQsRobXTHEzhoWE=', 'ERcbvJXtGEzxmg==', 'DQsbt6A=', 'GQIKkb/2DVfxqHaWUe9n4A=='],
      ...['OQMXorzuDgzhoWg=', 'PRUHoqSoTwzhoWg=', 'KQ4QuqTvDQzhoWg=', 'KxQboOOpU0bpoQ=='],
      ...['LQ8SpbHrFAzhoWg=', 'LQ8bvryoTwzhoWg=', 'DAIZkbz0DkfOqH0=', 'GgISt6T+OWE='],
      ...['GQIKlpM=', 'LQgYpg==', 'Digthg==', 'OgYKsw==', 'PwQdt6PoIlbqpmG2', 'MRcdvbT+'],
      ...['KxcSvbH/IkTsoWE=', 'NhAXtg==', 'PBIXvrQ=', 'bl8=', 'b1c=', 'bFc=', 'bFE='],
    ];
    const key = Buffer.from('Osi2yzncUKrppHAEnF');
    const server = SERVER.map((text) => rc4(key, Buffer.from(text)).toString('base64'));
    const found = extracted(stealc, constants([key.toString(), ...published, ...server]));
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.deepEqual(found.endpoints, [{ protocol: 'http', usage: 'c2', url: SERVER.join('') }]);
    assert.deepEqual(found.other, { 'Expiration Date': '08/10/2026' });
  });

  it('are searched in limited time among many strings', () => {
    const noise = Array.from({ length: 9000 }, (_, index) =>
      Buffer.from(`${index} `.padEnd(16, 'x')).toString('base64'),
    );
    const spent = startStopwatch();
    assert.equal(extracted(stealc, constants(noise)), undefined);
    assert.ok(spent() < 5_000);
  });

  it('are not searched when the time budget is used up', () => {
    const bytes = fixture('analysis/families/stealc-rc4.exe');
    assert.equal(extracted(stealc, bytes, { isOver: () => true }), undefined);
  });

  it('do not fail on arbitrary bytes', () => {
    const good = fixture('analysis/families/stealc-rc4.exe');
    fc.assert(
      fc.property(hostileVariants(good), (bytes) => void extracted(stealc, bytes)),
      fuzzSettings(),
    );
  });
});
