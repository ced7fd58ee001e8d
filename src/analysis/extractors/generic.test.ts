import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { extracted } from '../../../test/analysis/extraction.ts';
import { recordFindings } from '../../../test/analysis/findings.ts';
import { fixture } from '../../../test/analysis/fixture.ts';
import { fuzzSettings, hostileVariants } from '../../../test/analysis/fuzz.ts';
import { startStopwatch } from '../../../test/stopwatch.ts';
import { Subject } from '../subject.ts';
import { generic } from './generic.ts';

const sample = (name: string) => fixture(`analysis/families/generic-${name}`);
const SECRET = `${'Fixture-of_no_webhookx0123456789'.repeat(2)}ABCD`;
const WEBHOOK = `https://discord.com/api/webhooks/123456789012345678/${SECRET}`;
const TOKEN = '1234567890:AAfixtureOfNoBot-0123456789_ABCDEFG';
const upload = (url: string) => ({ protocol: 'https', usage: 'upload', url });
const bot = upload(`https://api.telegram.org/bot${TOKEN}/`);
const discord = {
  endpoints: [upload(WEBHOOK)],
  other: { 'Discord Webhook': WEBHOOK },
  capabilities: ['EXFILTRATES_TO_WEBHOOK'],
  heuristic: true,
};

describe('webhooks and bots of no known family', () => {
  it('name no family', () => {
    assert.equal(generic.namesFamily, false);
  });

  it('are found in UTF-16LE', () => {
    assert.deepEqual(extracted(generic, sample('wide.exe')), { ...discord, offset: 1273 });
  });

  it('are found in base64', () => {
    assert.deepEqual(extracted(generic, sample('base64.exe')), { ...discord, offset: 1485 });
  });

  it('are found unencoded, with the chat after the token', () => {
    assert.deepEqual(extracted(generic, sample('bot.elf')), {
      endpoints: [bot],
      other: { 'Telegram Bot Token': TOKEN, 'Telegram Chat ID': '-1001234567890' },
      capabilities: ['EXFILTRATES_TO_BOT'],
      heuristic: true,
      offset: 238,
    });
  });

  it('are found in scripts, several of them, with the chat before the token', () => {
    const webhook = `https://discordapp.com/api/v9/webhooks/987654321098765432/${SECRET}`;
    const slack = 'https://hooks.slack.com/services/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';
    assert.deepEqual(extracted(generic, sample('script.ps1')), {
      endpoints: [upload(webhook), bot, upload(slack)],
      other: {
        'Discord Webhook': webhook,
        'Telegram Bot Token': TOKEN,
        'Telegram Chat ID': '123456789',
        Webhook: slack,
      },
      capabilities: ['EXFILTRATES_TO_WEBHOOK', 'EXFILTRATES_TO_BOT'],
      heuristic: true,
      offset: 85,
    });
  });

  it('exclude those that a family of the same file reports, and no others', () => {
    const script = new Subject(sample('script.ps1'), 'sample');
    const { budget } = recordFindings();
    const all = generic.extract(script, budget);
    assert.ok(all && 'endpoints' in all);
    const byFamily = { endpoints: [], other: { 'Telegram Bot Token': TOKEN } };
    const rest = generic.extract(script, budget, [byFamily]);
    assert.ok(rest && 'endpoints' in rest);
    assert.deepEqual(
      rest.endpoints,
      all.endpoints.filter(({ url }) => !url?.includes(TOKEN)),
    );
    assert.equal(rest.other?.['Telegram Bot Token'], undefined);
    assert.equal(rest.other?.['Telegram Chat ID'], undefined);
    assert.deepEqual(rest.capabilities, ['EXFILTRATES_TO_WEBHOOK']);
    assert.equal(generic.extract(script, budget, [all]), undefined);
  });

  it('exclude documented examples, truncated and similar texts', () => {
    assert.equal(extracted(generic, sample('harmless.exe')), undefined);
    assert.equal(extracted(generic, sample('damaged.ps1')), undefined);
    // In compiled Python the next byte extends it to the length of a real token.
    const quoted = `token = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawz" # ${'as written '.repeat(9)}`;
    assert.equal(extracted(generic, Buffer.from(quoted)), undefined);
  });

  it('are not searched in other files than programs and scripts', () => {
    const data = Buffer.concat([Buffer.alloc(100), Buffer.from(` ${WEBHOOK} `)]);
    assert.equal(extracted(generic, data), undefined);
  });

  it('are limited in number and found in time', () => {
    const many = Array.from({ length: 100_000 }, (_, index) =>
      WEBHOOK.replace('ABCD', index.toString(36).padStart(4, '0')),
    );
    const spent = startStopwatch();
    const found = extracted(generic, Buffer.from(many.join('\n').slice(0, 8 * 1024 * 1024)));
    assert.ok(found !== undefined && 'endpoints' in found);
    assert.equal(found.endpoints.length, 32);
    assert.ok(spent() < 15_000);
  });

  it('do not fail on damaged files', () => {
    for (const name of ['script.ps1', 'base64.exe']) {
      fc.assert(
        fc.property(hostileVariants(sample(name)), (bytes) => {
          extracted(generic, bytes);
        }),
        fuzzSettings(),
      );
    }
  });
});
