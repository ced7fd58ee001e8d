import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { withLiterals } from '../../../test/analysis/dotnet-changes.ts';
import { extracted } from '../../../test/analysis/extraction.ts';
import { fixture } from '../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import { startStopwatch } from '../../../test/stopwatch.ts';
import { snake } from './snake.ts';

const sample = (name: string) => fixture(`analysis/families/snake-${name}.exe`);
const TOKEN = `1234567890:${'AAexampleExampleExampleExample00000'}`;

/** The code compares the field with all three markers. */
const withMarkers = (name: string, text: string) =>
  withLiterals(sample(name), { '$%SMTPDV$': text, '%FTPDV$': text, '$%TelegramDv$': text });

describe('settings of Snake Keylogger', () => {
  it('are decrypted with a key that is a field, and give a mailbox', () => {
    assert.deepEqual(extracted(snake, sample('smtp')), {
      endpoints: [{ protocol: 'smtp', usage: 'upload', host: 'smtp.example.invalid', port: 587 }],
      other: {
        'SMTP User': 'sender@mail.example.invalid',
        'SMTP Password': 'not-a-password',
        'SMTP Recipient': 'recipient@mail.example.invalid',
      },
      capabilities: [],
      offset: 777,
    });
  });

  it('are decrypted if the marker is a literal of the code and no field holds it', () => {
    const literal = extracted(snake, sample('literal'));
    const inField = extracted(snake, sample('smtp'));
    assert.ok(literal && 'endpoints' in literal && inField && 'endpoints' in inField);
    assert.deepEqual([literal.endpoints, literal.other], [inField.endpoints, inField.other]);
  });

  it('are decrypted with a key that is an argument, and give a bot', () => {
    assert.deepEqual(extracted(snake, sample('telegram')), {
      endpoints: [
        { protocol: 'https', usage: 'upload', url: `https://api.telegram.org/bot${TOKEN}/` },
      ],
      other: { 'Telegram Bot Token': TOKEN, 'Telegram Chat ID': '1234567890' },
      capabilities: ['SETTING_TELEGRAM'],
      offset: 766,
    });
  });

  it('are the same with the key in a field, or encrypted instead of plain', () => {
    for (const [name, other] of [
      ['telegram-field', 'telegram'],
      ['ftp-sealed', 'ftp'],
    ] as const) {
      const [found, expected] = [extracted(snake, sample(name)), extracted(snake, sample(other))];
      assert.ok(found && expected && 'endpoints' in found && 'endpoints' in expected, name);
      assert.deepEqual([found.endpoints, found.other], [expected.endpoints, expected.other]);
    }
  });

  it('are read if plain, with an FTP server', () => {
    assert.deepEqual(extracted(snake, sample('ftp')), {
      endpoints: [{ protocol: 'ftp', usage: 'upload', url: 'ftp://files.example.invalid/' }],
      other: { 'FTP User': 'someone', 'FTP Password': 'not-a-password' },
      capabilities: [],
      heuristic: true,
      offset: 613,
    });
  });

  it('are not read from an unbuilt template', () => {
    assert.deepEqual(extracted(snake, sample('template')), {
      unread: 'template that was never built',
    });
  });

  it('are not read under a wrong key, or if the file is truncated', () => {
    assert.equal(extracted(snake, sample('damaged')), undefined);
    const whole = sample('ftp');
    const address = whole.indexOf(Buffer.from('ftp://files', 'utf16le'));
    assert.equal(extracted(snake, whole.subarray(0, address + 12)), undefined);
  });

  it('are decrypted if the constructor calls a method that sets them', () => {
    const found = extracted(snake, sample('method'));
    assert.ok(found && 'endpoints' in found);
    assert.deepEqual(found.endpoints, [
      { protocol: 'smtp', usage: 'upload', host: 'smtp.example.invalid', port: 587 },
    ]);
  });

  it('are not read without the markers of the family', () => {
    const literal = withLiterals(sample('literal'), { '$%SMTPDV$': 'smtp' });
    assert.equal(extracted(snake, literal), undefined);
    for (const name of ['smtp', 'ftp'])
      assert.equal(extracted(snake, withMarkers(name, 'other')), undefined, name);
  });

  it('are not read from plain programs with a marker in a longer text', () => {
    for (const text of ['strings: $%SMTPDV$, %FTPDV$', '%FTPDV$ '])
      assert.equal(extracted(snake, withMarkers('ftp', text)), undefined, text);
  });

  it('are those of the channel whose marker is stored', () => {
    const stored = (marker: string) => withLiterals(sample('smtp'), { '$%SMTPDV$': marker });
    assert.equal(extracted(snake, stored('%FTPDV$')), undefined);
    assert.notEqual(extracted(snake, stored('no marker')), undefined);
  });

  it('are not read from plain programs with the name alone, but decrypted if encrypted', () => {
    const name = 'finds Snake Keylogger';
    assert.equal(extracted(snake, withMarkers('ftp', name)), undefined);
    const encrypted = extracted(snake, withMarkers('smtp', name));
    assert.ok(encrypted && 'endpoints' in encrypted);
  });

  it('are not read if a part of a channel has another form', () => {
    for (const [from, to] of [
      ['ftp://files.example.invalid/', 'http://files.example.invalid/'],
      ['someone', ''],
      ['not-a-password', ''],
    ] as const)
      assert.equal(extracted(snake, withLiterals(sample('ftp'), { [from]: to })), undefined, from);
  });

  it('stay limited, in number and time, if they are hostile', () => {
    const spent = startStopwatch();
    const encrypted = Buffer.alloc(160_000, 'x').toString('base64');
    const hostile = withLiterals(sample('ftp'), {
      someone: encrypted,
      'not-a-password': encrypted,
      'ftp://files.example.invalid/': `ftp://${'a.'.repeat(500_000)}`,
    });
    assert.equal(extracted(snake, hostile), undefined);
    const shown = extracted(
      snake,
      withLiterals(sample('ftp'), {
        someone: '__proto__\u202e',
        'not-a-password': 'y'.repeat(1e6),
      }),
    );
    assert.ok(JSON.stringify(shown).length < 10_000);
    assert.doesNotMatch(JSON.stringify(shown), /\u202e/);
    assert.ok(spent() < 25_000);
  });

  it('stop when the time budget is used up', () => {
    assert.equal(extracted(snake, sample('smtp'), { isOver: () => true }), undefined);
  });

  it('do not fail on hostile files', () => {
    for (const name of ['smtp', 'telegram', 'ftp'])
      fc.assert(
        fc.property(hostileVariants(sample(name)), (bytes) => {
          extracted(snake, bytes);
        }),
        fuzzSettings(),
      );
  });
});
