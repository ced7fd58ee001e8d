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
  it('name a mailbox, and say that they are a guess', () => {
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

  it('name a bot and its chat', () => {
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

  it('name a webhook', () => {
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

  it('name a file server', () => {
    assert.deepEqual(extracted(agenttesla, sample('ftp')), {
      endpoints: [{ protocol: 'ftp', usage: 'upload', url: 'ftp://files.example.invalid/in/' }],
      other: { 'FTP User': 'someone@example.invalid', 'FTP Password': 'not-a-password' },
      capabilities: [],
      heuristic: true,
      offset: 1_741,
    });
  });

  it('are never told as C2 addresses: the hosts belong to others', () => {
    for (const name of ['smtp', 'telegram', 'discord', 'ftp']) {
      const found = extracted(agenttesla, sample(name));
      assert.ok(found !== undefined && 'endpoints' in found);
      assert.deepEqual(
        found.endpoints.map(({ usage }) => usage),
        ['upload'],
      );
    }
  });

  it('are none of a program that has such settings and not the headings of the family', () => {
    assert.equal(extracted(agenttesla, sample('lookalike')), undefined);
  });

  it('are none of a program that mails reports with some of these headings', () => {
    const others = { '<br>CPU: ': '<br>Version: ', '<br>RAM: ': '<br>Call stack: ' };
    assert.equal(extracted(agenttesla, withLiterals(sample('smtp'), others)), undefined);
  });

  it('are none where one of them is damaged, or the file is cut', () => {
    assert.equal(extracted(agenttesla, sample('damaged')), undefined);
    const whole = sample('telegram');
    const chat = whole.indexOf(Buffer.from('-1001234567890', 'utf16le'));
    assert.equal(extracted(agenttesla, whole.subarray(0, chat + 8)), undefined);
  });

  it('are none before the user agent', () => {
    const agent = 'Mozilla/5.0 (Windows NT 6.1; Win64; x64; rv:99.0) Gecko/20100101 Firefox/99.0';
    assert.equal(extracted(agenttesla, withLiterals(sample('ftp'), { [agent]: 'x' })), undefined);
  });

  it('are none where a mailbox lacks its form', () => {
    const smtp = sample('smtp');
    for (const [from, to] of [
      ['smtp.example.invalid', 'smtp'],
      ['sender@mail.example.invalid', 'sender'],
      ['not-a-password', 'two words'],
    ] as const)
      assert.equal(extracted(agenttesla, withLiterals(smtp, { [from]: to })), undefined, from);
  });

  it('stay bounded and in time when they are hostile', () => {
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

  it('are given up when time is over', () => {
    assert.equal(extracted(agenttesla, sample('ftp'), { isOver: () => true }), undefined);
  });

  it('are looked for in hostile files without harm', () => {
    for (const name of ['smtp', 'telegram'])
      fc.assert(
        fc.property(hostileVariants(sample(name)), (bytes) => {
          extracted(agenttesla, bytes);
        }),
        fuzzSettings(),
      );
  });
});
