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

  it('are a token and a chat in a stub that was packed and turned around', () => {
    assert.deepEqual(extracted(blankGrabber, sample('turned')), {
      endpoints: [
        { protocol: 'https', usage: 'upload', url: `https://api.telegram.org/bot${TOKEN}/` },
      ],
      other: { 'Telegram Bot Token': TOKEN, 'Telegram Chat ID': '-1001234567890' },
      offset: 2560,
    });
  });

  it('are missing where the stub is obfuscated otherwise, and the family is told', () => {
    assert.deepEqual(extracted(blankGrabber, sample('unread')), {
      unread: 'the stub is obfuscated otherwise',
      offset: 2560,
    });
  });

  it('are not read where a bit of the stub was changed', () => {
    assert.equal(extracted(blankGrabber, sample('damaged')), undefined);
  });

  it('are not read from other programs packed with PyInstaller', () => {
    const other = fixture('analysis/families/pyinstaller-discord.exe');
    assert.equal(extracted(blankGrabber, other), undefined);
  });

  it('are given up when time is over', () => {
    assert.equal(extracted(blankGrabber, sample('turned'), { isOver: () => true }), undefined);
  });

  it('survive whatever becomes of the file', () => {
    fc.assert(
      fc.property(hostileVariants(sample('turned')), (bytes) => {
        extracted(blankGrabber, bytes);
      }),
      fuzzSettings(),
    );
  });
});
