import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extracted } from '../../../test/analysis/extraction.ts';
import { fixture } from '../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import { startStopwatch } from '../../../test/stopwatch.ts';
import { winos } from './winos.ts';

const read = (name: string) => extracted(winos, fixture(`analysis/families/${name}`));

const TAIL = 'dd:1|cl:1|fz:group|bb:1.0|bz:|jp:0|bh:0|ll:0|dl:0|sh:0|kl:0|bd:0|';
const SERVERS = 'p1:192.0.2.1|o1:1|t1:1|p2:|o2:|t2:1|p3:|o3:|t3:1|';

/** The start of a program, which has an even length. */
const START = Buffer.from('MZ');

function stored(text: string, end = '\0'): Buffer {
  const reversed = `xx${[...text].reverse().join('')}${end}`;
  return Buffer.concat([START, Buffer.from(reversed, 'utf16le')]);
}

describe('settings of Winos', () => {
  it('are read from the reversed string', () => {
    assert.deepEqual(read('winos-plain.exe'), {
      version: '1.0',
      campaign: ['默认'],
      endpoints: [
        { protocol: 'tcp', usage: 'c2', host: 'winos.example.invalid', port: 6666 },
        { protocol: 'tcp', usage: 'c2', host: '192.0.2.88', port: 8888 },
        { protocol: 'tcp', usage: 'other', host: '127.0.0.1', port: 80 },
      ],
      other: { Comment: '2026.11. 7' },
      offset: 1568,
    });
  });

  it('are read with the keys of later builds, UDP and an empty server', () => {
    assert.deepEqual(read('winos-later.exe'), {
      version: '4.2',
      campaign: ['autumn'],
      endpoints: [
        { protocol: 'udp', usage: 'c2', host: 'winos.example.invalid', port: 6666 },
        { protocol: 'tcp', usage: 'other', host: '127.0.0.1', port: 80 },
      ],
      other: { Comment: 'note' },
      offset: 1652,
    });
  });

  it('are those of a template if all servers are local', () => {
    assert.deepEqual(read('winos-template.exe'), {
      unread: 'template without a server',
      offset: 1568,
    });
  });

  it('name no server if the program has several that differ', () => {
    const first = stored(`|${SERVERS}${TAIL}`);
    const second = stored(`|${SERVERS.replace('192.0.2.1', '192.0.2.2')}${TAIL}`);
    const found = extracted(winos, Buffer.concat([first, second]));
    assert.ok(found !== undefined && 'unread' in found, JSON.stringify(found));
    const same = extracted(winos, Buffer.concat([first, first]));
    assert.ok(same !== undefined && 'endpoints' in same, JSON.stringify(same));
  });

  it('are not read if a key is missing, the string is cut, or only similar', () => {
    assert.equal(read('winos-damaged.exe'), undefined);
    assert.equal(read('winos-cut.exe'), undefined);
    assert.equal(read('winos-lookalike.exe'), undefined);
  });

  it('are not read if one value has another form', () => {
    const whole = `|${SERVERS}${TAIL}`;
    assert.notEqual(extracted(winos, stored(whole)), undefined);
    const changes: [string, string][] = [
      ...([
        ['o1:1|', 'o1:65536|'],
        ['o1:1|', 'o1:x|'],
        ['t1:1|', 't1:7|'],
        ['bd:0|', 'bd:on|'],
      ] as const),
      ...([
        ['p1:192.0.2.1', 'p1:no host'],
        ['dd:1', 'dd:'],
        ['|bd:0|', '|bd:0'],
        ['fz:', 'zf:'],
      ] as const),
      ...([
        ['p2:|o2:', 'o2:|p2:'],
        ['|p1:', 'p1:'],
        ['group', 'gr\x01oup'],
      ] as const),
    ].map(([from, to]) => [from, to]);
    for (const [from, to] of changes)
      assert.equal(extracted(winos, stored(whole.replace(from, to))), undefined, to);
    assert.equal(extracted(winos, stored(whole, 'x')), undefined);
    const forwards = Buffer.from(`${whole}\0`, 'utf16le');
    assert.equal(extracted(winos, Buffer.concat([START, forwards])), undefined);
    const narrow = Buffer.from(`MZ${[...whole].reverse().join('')}\0`);
    assert.equal(extracted(winos, narrow), undefined);
  });

  it('are not read from files that quote them', () => {
    const settings = stored(`|${SERVERS}${TAIL}`).subarray(START.length);
    assert.equal(extracted(winos, settings), undefined);
    const text = Buffer.from('\ufeffValue of the registry:\r\n', 'utf16le');
    assert.equal(extracted(winos, Buffer.concat([text, settings])), undefined);
  });

  it('are read at odd offsets, and after strings that only end alike', () => {
    const whole = stored(`|${SERVERS}${TAIL}`);
    const odd = Buffer.concat([START, Buffer.of(0x41), stored('|p1:'), whole]);
    const found = extracted(winos, odd);
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.deepEqual(found.endpoints, [
      { protocol: 'tcp', usage: 'c2', host: '192.0.2.1', port: 1 },
    ]);
  });

  it('are searched in limited time among many similar strings', () => {
    const bytes = Buffer.concat(Array<Buffer>(100_000).fill(stored('|p1:192.0.2.1|')));
    const spent = startStopwatch();
    assert.equal(extracted(winos, Buffer.concat([bytes, stored('|p1:')])), undefined);
    assert.ok(spent() < 5_000);
  });

  it('do not fail on arbitrary bytes', () => {
    const good = fixture('analysis/families/winos-plain.exe');
    fc.assert(
      fc.property(hostileVariants(good), (bytes) => void extracted(winos, bytes)),
      fuzzSettings(),
    );
  });
});
