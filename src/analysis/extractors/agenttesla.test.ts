import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { withLiterals } from '../../../test/analysis/dotnet-changes.ts';
import { extracted } from '../../../test/analysis/extraction.ts';
import { fixture } from '../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import { startStopwatch } from '../../../test/stopwatch.ts';
import { agenttesla } from './agenttesla.ts';

const sample = (name: string) => fixture(`analysis/families/agenttesla-${name}.exe`);
const TOKEN = `1234567890:${'AAexampleExampleExampleExample00000'}`;

describe('literals of AgentTesla', () => {
  it('give a mailbox, marked heuristic', () => {
    assert.deepEqual(extracted(agenttesla, sample('smtp')), {
      endpoints: [{ protocol: 'smtp', usage: 'upload', host: 'smtp.example.invalid', port: 587 }],
      other: {
        'SMTP User': 'sender@mail.example.invalid',
        'SMTP Password': 'not-a-password',
        'SMTP Recipient': 'sender@mail.example.invalid',
      },
      capabilities: ['SETTING_KEYLOGGER'],
      heuristic: true,
      offset: 644,
    });
  });

  it('give a mailbox whose port is a number, in a field or in the code', () => {
    const smtp = extracted(agenttesla, sample('smtp'));
    assert.deepEqual(extracted(agenttesla, sample('smtp-number')), smtp);
    assert.deepEqual(extracted(agenttesla, sample('smtp-client')), {
      endpoints: [{ protocol: 'smtp', usage: 'upload', host: 'smtp.example.invalid', port: 587 }],
      other: { 'SMTP User': 'sender@mail.example.invalid', 'SMTP Password': 'not-a-password' },
      capabilities: [],
      heuristic: true,
      offset: 1_857,
    });
  });

  it('give no port if the number is none of a mail server and its field has no such name', () => {
    const number = sample('smtp-number');
    const portOf = (bytes: Buffer) => {
      const found = extracted(agenttesla, bytes);
      return found && 'endpoints' in found ? found.endpoints[0]?.port : undefined;
    };
    const named = Buffer.from(number);
    named.writeInt32LE(4587, number.indexOf(Buffer.from('204b020000', 'hex')) + 1);
    assert.equal(portOf(named), 4587);
    named.write('SmtpXxxx', named.indexOf('SmtpPort\0'));
    assert.equal(portOf(named), undefined);
  });

  it('give the port of the code, not a number before the host', () => {
    const client = sample('smtp-client');
    client.write('2000', client.indexOf(Buffer.from('POST', 'utf16le')), 'utf16le');
    assert.deepEqual(extracted(agenttesla, client), extracted(agenttesla, sample('smtp-client')));
  });

  it('give a bot and its chat', () => {
    assert.deepEqual(extracted(agenttesla, sample('telegram')), {
      endpoints: [
        { protocol: 'https', usage: 'upload', url: `https://api.telegram.org/bot${TOKEN}/` },
      ],
      other: { 'Telegram Bot Token': TOKEN, 'Telegram Chat ID': '-1001234567890' },
      capabilities: ['SETTING_TELEGRAM'],
      heuristic: true,
      offset: 1_741,
    });
  });

  it('give a webhook', () => {
    const url =
      'https://discord.com/api/webhooks/123456789012345678/Example_example-Example_example-Example_example-0000';
    assert.deepEqual(extracted(agenttesla, sample('discord')), {
      endpoints: [{ protocol: 'https', usage: 'upload', url }],
      other: { 'Discord Webhook': url },
      capabilities: [],
      heuristic: true,
      offset: 1_725,
    });
  });

  it('give an FTP server', () => {
    assert.deepEqual(extracted(agenttesla, sample('ftp')), {
      endpoints: [{ protocol: 'ftp', usage: 'upload', url: 'ftp://files.example.invalid/in/' }],
      other: { 'FTP User': 'someone@example.invalid', 'FTP Password': 'not-a-password' },
      capabilities: [],
      heuristic: true,
      offset: 1_741,
    });
  });

  it('are never C2 addresses: the hosts belong to third parties', () => {
    for (const name of ['smtp', 'telegram', 'discord', 'ftp']) {
      const found = extracted(agenttesla, sample(name));
      assert.ok(found !== undefined && 'endpoints' in found);
      assert.deepEqual(
        found.endpoints.map(({ usage }) => usage),
        ['upload'],
      );
    }
  });

  it('are not read from a program without the headings of the family', () => {
    assert.equal(extracted(agenttesla, sample('lookalike')), undefined);
  });

  it('are not read from a program with some of these headings', () => {
    const others = { '<br>CPU: ': '<br>Version: ', '<br>RAM: ': '<br>Call stack: ' };
    assert.equal(extracted(agenttesla, withLiterals(sample('smtp'), others)), undefined);
  });

  it('are not read if one is damaged, or the file is truncated', () => {
    assert.equal(extracted(agenttesla, sample('damaged')), undefined);
    const whole = sample('telegram');
    const chat = whole.indexOf(Buffer.from('-1001234567890', 'utf16le'));
    assert.equal(extracted(agenttesla, whole.subarray(0, chat + 8)), undefined);
  });

  it('are not read before the user agent', () => {
    const agent = 'Mozilla/5.0 (Windows NT 6.1; Win64; x64; rv:99.0) Gecko/20100101 Firefox/99.0';
    assert.equal(extracted(agenttesla, withLiterals(sample('ftp'), { [agent]: 'x' })), undefined);
  });

  it('are not read if a part of the mailbox has another form', () => {
    const smtp = sample('smtp');
    for (const [from, to] of [
      ['smtp.example.invalid', 'smtp'],
      ['sender@mail.example.invalid', 'sender'],
      ['not-a-password', 'two words'],
    ] as const)
      assert.equal(extracted(agenttesla, withLiterals(smtp, { [from]: to })), undefined, from);
  });

  it('stay limited, in number and time, if they are hostile', () => {
    const spent = startStopwatch();
    const smtp = sample('smtp');
    const long = 'a@'.repeat(500_000);
    for (const from of ['smtp.example.invalid', 'sender@mail.example.invalid', 'not-a-password'])
      assert.equal(extracted(agenttesla, withLiterals(smtp, { [from]: long })), undefined, from);
    const shown = extracted(
      agenttesla,
      withLiterals(smtp, { 'not-a-password': '__proto__\u202e' }),
    );
    assert.match(JSON.stringify(shown), /__proto__/);
    assert.doesNotMatch(JSON.stringify(shown), /\u202e/);
    assert.ok(spent() < 25_000);
  });

  it('stop when the time budget is used up', () => {
    assert.equal(extracted(agenttesla, sample('ftp'), { isOver: () => true }), undefined);
  });

  it('do not fail on hostile files', () => {
    for (const name of ['smtp', 'telegram'])
      fc.assert(
        fc.property(hostileVariants(sample(name)), (bytes) => {
          extracted(agenttesla, bytes);
        }),
        fuzzSettings(),
      );
  });
});
