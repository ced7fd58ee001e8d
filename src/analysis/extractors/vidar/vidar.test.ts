import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extracted } from '../../../../test/analysis/extraction.ts';
import { fixture } from '../../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { peOf } from '../../../../test/analysis/pe-builder.ts';
import { startStopwatch } from '../../../../test/stopwatch.ts';
import { addressOf } from '../c2s.ts';
import { vidar } from './vidar.ts';

const read = (name: string) => extracted(vidar, fixture(`analysis/families/${name}`));

const STEAM = {
  protocol: 'https',
  usage: 'dead-drop',
  url: 'https://steamcommunity.com/profiles/76561190000000000',
};
const TELEGRAM = { protocol: 'https', usage: 'dead-drop', url: 'https://t.me/f1xture00' };
const TELEGRAM_ME = { protocol: 'https', usage: 'dead-drop', url: 'https://telegram.me/f1xture01' };

/** Constants of a 64-bit program without imports. */
function constants(bytes: Buffer): Buffer {
  return peOf(bytes, { is64: true, characteristics: 0xc000_0040 });
}

function xored(text: string, key: Buffer): Buffer {
  return Buffer.from(
    Buffer.from(text, 'latin1').map((byte, at) => byte ^ (key[at % key.length] ?? 0)),
  );
}

const PAGES = `${TELEGRAM_ME.url}\0\0\0${STEAM.url}\0`;

describe('dead drops of Vidar', () => {
  it('are read beside encoded strings, or among them', () => {
    assert.deepEqual(read('vidar-plain.exe'), { endpoints: [STEAM, TELEGRAM], offset: 1097 });
    assert.deepEqual(read('vidar-encoded.exe'), { endpoints: [TELEGRAM, STEAM], offset: 1097 });
  });

  it('are read under keys of one byte', () => {
    assert.deepEqual(read('vidar-byte.exe'), { endpoints: [STEAM, TELEGRAM_ME], offset: 1536 });
  });

  it('are read in a block with a repeating key, as a heuristic', () => {
    assert.deepEqual(read('vidar-block.exe'), {
      endpoints: [TELEGRAM_ME, STEAM],
      offset: 1848,
      heuristic: true,
    });
  });

  it('are read under any key of 2 to 24 bytes', () => {
    for (const length of [2, 3, 7, 16, 23, 24]) {
      const key = Buffer.from(Array.from({ length }, (_, index) => (index * 37 + 11) & 0xff));
      const found = extracted(
        vidar,
        constants(Buffer.concat([Buffer.alloc(77), xored(PAGES, key)])),
      );
      assert.ok(found !== undefined && 'endpoints' in found, String(length));
      assert.deepEqual(found.endpoints, [TELEGRAM_ME, STEAM]);
    }
    const long = Buffer.from(Array.from({ length: 29 }, (_, index) => (index * 37 + 11) & 0xff));
    assert.equal(extracted(vidar, constants(xored(PAGES, long))), undefined);
  });

  it('are never a C2 address of the family', () => {
    for (const name of ['vidar-plain.exe', 'vidar-byte.exe', 'vidar-block.exe']) {
      const found = read(name);
      assert.ok(found !== undefined && 'endpoints' in found);
      assert.ok(found.endpoints.every(({ usage }) => usage === 'dead-drop'));
      assert.ok(found.endpoints.every((endpoint) => addressOf(endpoint)?.host !== '192.0.2.14'));
    }
  });

  it('are missing in a program with the names of the family only', () => {
    assert.deepEqual(read('vidar-no-page.exe'), {
      unread: 'the strings name no page on Steam or Telegram',
      offset: 1536,
    });
  });

  it('are not read from damaged strings and blocks', () => {
    assert.equal(read('vidar-damaged.exe'), undefined);
    assert.equal(read('vidar-block-damaged.exe'), undefined);
  });

  it('are not read from StealC, harmless programs, and blocks with one page', () => {
    assert.equal(read('vidar-stealc.exe'), undefined);
    assert.equal(read('vidar-harmless.exe'), undefined);
    assert.equal(read('vidar-block-harmless.exe'), undefined);
    assert.equal(extracted(vidar, constants(Buffer.from(PAGES))), undefined);
  });

  it('are not read if a page has another form or does not end', () => {
    const key = Buffer.from('0123456789abcdef');
    for (const page of [
      'https://t.me/a',
      'https://t.me/+invite00',
      'https://t.me/name/more',
      'https://t.me/name',
    ]) {
      const end = page.endsWith('name') ? '\x01' : '\0';
      const block = xored(`${page}${end}${STEAM.url}\0`, key);
      assert.equal(extracted(vidar, constants(block)), undefined, page);
    }
  });

  it('are searched in limited time in a crafted program', () => {
    const crafted = constants(Buffer.alloc(1_500_000, 'steamcommunity.com/profiles/765611'));
    const spent = startStopwatch();
    assert.equal(extracted(vidar, crafted), undefined);
    assert.ok(spent() < 5_000);
  });

  it('are not searched when the time budget is used up', () => {
    const budget = { isOver: () => true };
    for (const name of ['vidar-plain.exe', 'vidar-block.exe'])
      assert.equal(extracted(vidar, fixture(`analysis/families/${name}`), budget), undefined);
  });

  it('do not fail on arbitrary bytes', () => {
    for (const name of ['vidar-encoded.exe', 'vidar-byte.exe', 'vidar-block.exe'])
      fc.assert(
        fc.property(
          hostileVariants(fixture(`analysis/families/${name}`)),
          (bytes) => void extracted(vidar, bytes),
        ),
        fuzzSettings(),
      );
  });
});
