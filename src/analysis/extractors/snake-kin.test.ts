import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { withLiterals } from '../../../test/analysis/dotnet-changes.ts';
import { extracted } from '../../../test/analysis/extraction.ts';
import { fixture } from '../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import { encryptDes } from '../../../test/fixtures/analysis/generate/families/encryption.ts';
import { snake } from './snake.ts';

const sample = (name: string) => fixture(`analysis/families/${name}.exe`);
const read = (name: string) => extracted(snake, sample(name));

const VIP_MAILBOX = {
  endpoints: [{ protocol: 'smtp', usage: 'upload', host: 'smtp.vip.example.invalid', port: 587 }],
  other: {
    'SMTP User': 'sender@vip.example.invalid',
    'SMTP Password': 'not-a-password',
    'SMTP Recipient': 'recipient@vip.example.invalid',
  },
  capabilities: [],
};

describe('settings of VIP Keylogger', () => {
  it('are decrypted and give a mailbox', () => {
    assert.deepEqual(read('vip-smtp'), { family: 'vip_keylogger', ...VIP_MAILBOX, offset: 777 });
  });

  it('are decrypted without a marker, and give a bot', () => {
    const token = `2345678901:${'AAexampleExampleExampleExample11111'}`;
    assert.deepEqual(read('vip-telegram'), {
      family: 'vip_keylogger',
      endpoints: [
        { protocol: 'https', usage: 'upload', url: `https://api.telegram.org/bot${token}/` },
      ],
      other: { 'Telegram Bot Token': token, 'Telegram Chat ID': '-1001234567890' },
      capabilities: ['SETTING_TELEGRAM'],
      offset: 766,
    });
  });

  it('are read if plain, with a marker and an FTP server', () => {
    assert.deepEqual(read('vip-ftp'), {
      family: 'vip_keylogger',
      endpoints: [{ protocol: 'ftp', usage: 'upload', url: 'ftp://files.vip.example.invalid/' }],
      other: { 'FTP User': 'someone', 'FTP Password': 'not-a-password' },
      capabilities: [],
      heuristic: true,
      offset: 613,
    });
  });

  it('have the family of the encryption if the program has the names of several', () => {
    assert.deepEqual(read('snake-names'), {
      ...VIP_MAILBOX,
      other: { ...VIP_MAILBOX.other, 'Family Names': 'Snake Keylogger, VIP Keylogger' },
      offset: 777,
    });
  });

  it('have the family of the markers if the program has no name', () => {
    const unnamed = withLiterals(sample('vip-smtp'), {
      'Pc Name: fixture | VIP Recovery': 'Pc Name: fixture',
    });
    assert.deepEqual(extracted(snake, unnamed), { ...VIP_MAILBOX, offset: 777 });
  });

  it('are not read under a wrong key, or without a name and a marker', () => {
    assert.equal(read('vip-damaged'), undefined);
    assert.equal(read('vip-lookalike'), undefined);
  });

  it('are not read from an unbuilt template, which has the family', () => {
    const template = withLiterals(sample('vip-ftp'), {
      someone: '$%FTPUser$',
      'not-a-password': '$%FTPPass$',
      'ftp://files.vip.example.invalid/': '$%FTPHost$',
    });
    assert.deepEqual(extracted(snake, template), {
      family: 'vip_keylogger',
      unread: 'template that was never built',
    });
  });
});

describe('settings of MassLogger', () => {
  it('are decrypted and give an FTP server', () => {
    assert.deepEqual(read('masslogger-ftp'), {
      family: 'masslogger',
      endpoints: [
        { protocol: 'ftp', usage: 'upload', url: 'ftp://files.mass.example.invalid/logs/' },
      ],
      other: { 'FTP User': 'someone', 'FTP Password': 'not-a-password' },
      capabilities: [],
      offset: 777,
    });
  });

  it('are decrypted and give a mailbox', () => {
    assert.deepEqual(read('masslogger-smtp'), {
      family: 'masslogger',
      endpoints: [{ protocol: 'smtp', usage: 'upload', host: '192.0.2.25', port: 25 }],
      other: {
        'SMTP User': 'sender@mass.example.invalid',
        'SMTP Password': 'not-a-password',
        'SMTP Recipient': 'recipient@mass.example.invalid',
      },
      capabilities: [],
      offset: 777,
    });
  });

  it('are decrypted beside the empty fields of other channels, and give a bot', () => {
    const token = `3456789012:${'AAexampleExampleExampleExample22222'}`;
    assert.deepEqual(read('masslogger-telegram'), {
      family: 'masslogger',
      endpoints: [
        { protocol: 'https', usage: 'upload', url: `https://api.telegram.org/bot${token}/` },
      ],
      other: { 'Telegram Bot Token': token, 'Telegram Chat ID': '1234567890' },
      capabilities: ['SETTING_TELEGRAM'],
      offset: 777,
    });
  });

  it('are not read under a wrong key, or from a program that only names the family', () => {
    assert.equal(read('masslogger-damaged'), undefined);
    assert.equal(read('masslogger-lookalike'), undefined);
  });

  it('are not read without a marker if the address is plain and other texts are encrypted', () => {
    const url = 'ftp://files.mass.example.invalid/logs/';
    const key = 'HbQxTnKcVwPzGmRdLyJfSaUeIoXkWtYgNrMqBvCpZsDhFjEiAuOl';
    const other = withLiterals(sample('masslogger-ftp'), { [encryptDes(url, key)]: url });
    assert.equal(extracted(snake, other), undefined);
  });
});

describe('settings of kin of Snake Keylogger', () => {
  it('do not fail on hostile files', () => {
    for (const name of ['vip-smtp', 'masslogger-ftp'])
      fc.assert(
        fc.property(hostileVariants(sample(name)), (bytes) => {
          extracted(snake, bytes);
        }),
        fuzzSettings(),
      );
  });
});
