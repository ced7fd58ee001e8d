import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mergeChannels, toDiscord, toTelegram } from './channels.ts';

describe('merged exfiltration channels', () => {
  it('never combine a chat with the token of another bot', () => {
    const found = mergeChannels([
      toTelegram('1:A', '-100'),
      toTelegram('2:B', undefined),
      toDiscord('d'),
    ]);
    assert.deepEqual(found?.other, {
      'Telegram Bot Token': '1:A',
      'Telegram Chat ID': '-100',
      'Discord Webhook': 'd',
    });
    const turned = mergeChannels([toTelegram('2:B', undefined), toTelegram('1:A', '-100')]);
    assert.deepEqual(turned?.other, { 'Telegram Bot Token': '2:B' });
    assert.equal(turned?.endpoints.length, 2);
  });

  it('are undefined for an empty list', () => {
    assert.equal(mergeChannels([]), undefined);
  });
});
