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

describe('settings of Snake Keylogger', () => {
  it('are opened with a key that is a field, and name a mailbox', () => {
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

  it('are opened with a key that is an argument, and name a bot', () => {
    assert.deepEqual(extracted(snake, sample('telegram')), {
      endpoints: [
        { protocol: 'https', usage: 'upload', url: `https://api.telegram.org/bot${TOKEN}/` },
      ],
      other: { 'Telegram Bot Token': TOKEN, 'Telegram Chat ID': '1234567890' },
      capabilities: ['SETTING_TELEGRAM'],
      offset: 776,
    });
  });

  it('are read where they are plain, and name a file server', () => {
    assert.deepEqual(extracted(snake, sample('ftp')), {
      endpoints: [{ protocol: 'ftp', usage: 'upload', url: 'ftp://files.example.invalid/' }],
      other: { 'FTP User': 'someone', 'FTP Password': 'not-a-password' },
      capabilities: [],
      offset: 613,
    });
  });

  it('are not there in a template', () => {
    assert.deepEqual(extracted(snake, sample('template')), {
      unread: 'template that was never built',
    });
  });

  it('are none under another key, or where the file is cut', () => {
    assert.equal(extracted(snake, sample('damaged')), undefined);
    const whole = sample('ftp');
    const address = whole.indexOf(Buffer.from('ftp://files', 'utf16le'));
    assert.equal(extracted(snake, whole.subarray(0, address + 12)), undefined);
  });

  it('are opened where a method sets them that the constructor calls', () => {
    const found = extracted(snake, sample('method'));
    assert.ok(found && 'endpoints' in found);
    assert.deepEqual(found.endpoints, [
      { protocol: 'smtp', usage: 'upload', host: 'smtp.example.invalid', port: 587 },
    ]);
  });

  it('are none without the marks of the family', () => {
    assert.equal(
      extracted(snake, withLiterals(sample('smtp'), { '$%SMTPDV$': 'smtp' })),
      undefined,
    );
    assert.equal(extracted(snake, withLiterals(sample('ftp'), { '%FTPDV$': 'ftp' })), undefined);
  });

  it('are none in plain programs that only have its name, but are opened where they are sealed', () => {
    const name = 'finds Snake Keylogger';
    assert.equal(extracted(snake, withLiterals(sample('ftp'), { '%FTPDV$': name })), undefined);
    const sealed = extracted(snake, withLiterals(sample('smtp'), { '$%SMTPDV$': name }));
    assert.ok(sealed && 'endpoints' in sealed);
  });

  it('are none where one of a way is of another form', () => {
    for (const [from, to] of [
      ['ftp://files.example.invalid/', 'http://files.example.invalid/'],
      ['someone', ''],
      ['not-a-password', ''],
    ] as const)
      assert.equal(extracted(snake, withLiterals(sample('ftp'), { [from]: to })), undefined, from);
  });

  it('stay bounded and in time when they are hostile', () => {
    const spent = startStopwatch();
    const sealed = Buffer.alloc(160_000, 'x').toString('base64');
    const hostile = withLiterals(sample('ftp'), {
      someone: sealed,
      'not-a-password': sealed,
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

  it('are given up when time is over', () => {
    assert.equal(extracted(snake, sample('smtp'), { isOver: () => true }), undefined);
  });

  it('are looked for in hostile files without harm', () => {
    for (const name of ['smtp', 'telegram', 'ftp'])
      fc.assert(
        fc.property(hostileVariants(sample(name)), (bytes) => {
          extracted(snake, bytes);
        }),
        fuzzSettings(),
      );
  });
});
