import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { extracted } from '../../../test/analysis/extraction.ts';
import { fixture } from '../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import { startStopwatch } from '../../../test/stopwatch.ts';
import { pyinstaller } from './pyinstaller.ts';

const sample = (name: string) => fixture(`analysis/families/pyinstaller-${name}`);
const plain = sample('discord.exe');
const WEBHOOK =
  'https://discord.com/api/webhooks/123456789012345678/Fixture-of_no_webhookx0123456789Fixture-of_no_webhookx0123456789ABCD';
const discord = {
  endpoints: [{ protocol: 'https', usage: 'upload', url: WEBHOOK }],
  other: { 'Discord Webhook': WEBHOOK },
  capabilities: ['PYTHON_DISCORD_WEBHOOK'],
  heuristic: true,
  offset: 2560,
};

describe('webhooks of programs packed with PyInstaller', () => {
  it('are read from the constants of a script', () => {
    assert.deepEqual(extracted(pyinstaller, plain), discord);
  });

  it('are read from a module, a bot with the chat near its token', () => {
    const token = '1234567890:AAfixtureOfNoBot-0123456789_ABCDEFG';
    assert.deepEqual(extracted(pyinstaller, sample('telegram.elf')), {
      endpoints: [
        { protocol: 'https', usage: 'upload', url: `https://api.telegram.org/bot${token}/` },
      ],
      other: { 'Telegram Bot Token': token, 'Telegram Chat ID': '-1001234567890' },
      capabilities: ['PYTHON_TELEGRAM_BOT'],
      heuristic: true,
      offset: 8608,
    });
  });

  it('are read through layers of xz, source text, pieces and base64', () => {
    assert.deepEqual(extracted(pyinstaller, sample('layers.exe')), discord);
  });

  it('exclude documented examples', () => {
    assert.equal(extracted(pyinstaller, sample('harmless.exe')), undefined);
  });

  it('are not read from a truncated archive', () => {
    assert.equal(extracted(pyinstaller, sample('damaged.exe')), undefined);
    assert.equal(extracted(pyinstaller, plain.subarray(0, plain.length - 100)), undefined);
  });

  it('stop when the time budget is used up', () => {
    assert.equal(extracted(pyinstaller, plain, { isOver: () => true }), undefined);
  });

  it('do not unpack a script beyond the size limit', () => {
    const bomb = archiveOf('s', deflateSync(Buffer.alloc(64 * 1024 * 1024)));
    const spent = startStopwatch();
    assert.equal(extracted(pyinstaller, bomb), undefined);
    assert.ok(spent() < 10_000);
  });

  it('take linear time with recursive references', () => {
    // ((((…), r, r, …), r, r, …) … ): each level refers to the one below a hundred times.
    let value = Buffer.from('\xa9\x00', 'latin1');
    for (let level = 0; level < 30; level += 1) {
      const again = Buffer.alloc(5);
      again.write('r');
      again.writeUInt32LE(30 - level, 1);
      const head = Buffer.from('\xa8\x65\x00\x00\x00', 'latin1');
      value = Buffer.concat([head, value, ...Array.from({ length: 100 }, () => again)]);
    }
    const number = Buffer.alloc(4);
    const nothing = Buffer.from('N');
    const code = Buffer.concat([
      Buffer.from('c'),
      ...Array.from({ length: 5 }, () => number),
      ...[nothing, value, ...Array.from({ length: 6 }, () => nothing), number, nothing, nothing],
    ]);
    const spent = startStopwatch();
    assert.equal(extracted(pyinstaller, archiveOf('s', deflateSync(code))), undefined);
    assert.ok(spent() < 5000);
  });

  it('do not fail on damaged files', () => {
    for (const name of ['discord.exe', 'layers.exe']) {
      fc.assert(
        fc.property(hostileVariants(sample(name)), (bytes) => {
          extracted(pyinstaller, bytes);
        }),
        fuzzSettings(),
      );
    }
  });
});

/** An archive of one entry. */
function archiveOf(type: string, stored: Buffer): Buffer {
  const list = Buffer.alloc(32);
  for (const [index, value] of [32, 0, stored.length, stored.length].entries()) {
    list.writeUInt32BE(value, index * 4);
  }
  list.writeUInt8(1, 16);
  list.write(`${type}main`, 17);
  const cookie = Buffer.alloc(88);
  Buffer.from('4d45490c0b0a0b0e', 'hex').copy(cookie);
  const size = stored.length + list.length + cookie.length;
  for (const [index, value] of [size, stored.length, list.length, 311].entries()) {
    cookie.writeUInt32BE(value, 8 + index * 4);
  }
  return Buffer.concat([stored, list, cookie]);
}
