import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extracted } from '../../../test/analysis/extraction.ts';
import { fixture } from '../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import { blankGrabber } from './blank-grabber.ts';

const sample = (name: string) => fixture(`analysis/families/blank-grabber-${name}.exe`);
const WEBHOOK =
  'https://discord.com/api/webhooks/123456789012345678/Fixture-of_no_webhookx0123456789Fixture-of_no_webhookx0123456789ABCD';
const TOKEN = '1234567890:AAfixtureOfNoBot-0123456789_ABCDEFG';

describe('settings of Blank Grabber', () => {
  it('are the webhook in its decrypted stub', () => {
    assert.deepEqual(extracted(blankGrabber, sample('plain')), {
      endpoints: [{ protocol: 'https', usage: 'upload', url: WEBHOOK }],
      other: { 'Discord Webhook': WEBHOOK },
      offset: 2560,
    });
  });

  it('are a token and a chat in a compressed and reversed stub', () => {
    assert.deepEqual(extracted(blankGrabber, sample('turned')), {
      endpoints: [
        { protocol: 'https', usage: 'upload', url: `https://api.telegram.org/bot${TOKEN}/` },
      ],
      other: { 'Telegram Bot Token': TOKEN, 'Telegram Chat ID': '-1001234567890' },
      offset: 2560,
    });
  });

  it('are missing if the obfuscation is unknown, and the family is recognised', () => {
    assert.deepEqual(extracted(blankGrabber, sample('unread')), {
      unread: 'the stub is obfuscated otherwise',
      offset: 2560,
    });
  });

  it('are not read if a bit of the stub is flipped', () => {
    assert.equal(extracted(blankGrabber, sample('damaged')), undefined);
  });

  it('are not read from other programs packed with PyInstaller', () => {
    const other = fixture('analysis/families/pyinstaller-discord.exe');
    assert.equal(extracted(blankGrabber, other), undefined);
  });

  it('stop when the time budget is used up', () => {
    assert.equal(extracted(blankGrabber, sample('turned'), { isOver: () => true }), undefined);
  });

  it('do not fail on damaged files', () => {
    fc.assert(
      fc.property(hostileVariants(sample('turned')), (bytes) => {
        extracted(blankGrabber, bytes);
      }),
      fuzzSettings(),
    );
  });
});
