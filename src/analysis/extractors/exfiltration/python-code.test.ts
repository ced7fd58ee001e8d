import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import { startStopwatch } from '../../../../test/stopwatch.ts';
import { channelsInCode, textLists } from './python-code.ts';

const TOKEN = '1234567890:AAfixtureOfNoBot-0123456789_ABCDEFG';
const WEBHOOK =
  'https://discord.com/api/webhooks/123456789012345678/Fixture-of_no_webhookx0123456789Fixture-of_no_webhookx0123456789ABCD';
const limits = { maxBytes: 16 * 1024 * 1024, isOver: () => false };
const urlsOf = (constants: (string | Buffer)[], isOver = limits.isOver) =>
  channelsInCode({ constants }, 311, { ...limits, isOver }).flatMap(({ endpoints }) =>
    endpoints.map(({ url }) => url),
  );
const packed = (source: string) => deflateSync(Buffer.from(source));

describe('channels in Python code', () => {
  it('are found in source code, with escapes and both kinds of quotes', () => {
    const half = WEBHOOK.slice(0, 40);
    const escaped = [...half].map((sign) => `\\x${sign.charCodeAt(0).toString(16)}`).join('');
    for (const source of [
      `a = '${WEBHOOK}'`,
      `a = "it's", "${WEBHOOK}"`,
      `a = 'say \\'no\\'', b'${WEBHOOK}'`,
      `a = "${escaped}${WEBHOOK.slice(40)}"`,
      `# don't\na = '${WEBHOOK}'`,
    ])
      assert.deepEqual(urlsOf([packed(source)]), [WEBHOOK], source);
  });

  it('are found in packed layers that are written in base64, in one piece or in four', () => {
    const source = `a = '${WEBHOOK}'`;
    const text = packed(source).toString('base64');
    assert.deepEqual(urlsOf([text]), [WEBHOOK]);
    const size = Math.ceil(text.length / 4);
    const [first = '', second = '', third = '', fourth = ''] = text.match(
      new RegExp(`.{1,${size}}`, 'g'),
    ) ?? [''];
    const turned = first.replace(/[a-z]/gi, (sign) =>
      String.fromCharCode(sign.charCodeAt(0) + (/[a-m]/i.test(sign) ? 13 : -13)),
    );
    const pieces = [turned, second, [...third].reverse().join(''), fourth];
    assert.deepEqual(urlsOf(pieces), [WEBHOOK]);
    assert.deepEqual(urlsOf([`eJ${'A'.repeat(40)}`, 'eA', 'H4sIAAAAAAAAAA==']), []);
  });

  it('take linear time if they are unterminated', () => {
    const spent = startStopwatch();
    const source = `a = "${'\\"'.repeat(500_000)}\nb = '${WEBHOOK}'`;
    assert.deepEqual(urlsOf([packed(source)]), [WEBHOOK]);
    assert.deepEqual(urlsOf([packed(`'${'"\n'.repeat(500_000)}`)]), []);
    assert.ok(spent() < 10_000);
  });

  it('are read once if code refers to them repeatedly', () => {
    const long = 'a'.repeat(1_000_000);
    const again = Array.from({ length: 10_000 }, () => long);
    assert.deepEqual(textLists({ constants: [...again, 'b', 'b'] }), [[long, 'b', 'b']]);
    const bytes = Buffer.alloc(1_000_000, 'c');
    assert.equal(textLists({ constants: again.map(() => bytes) })[0]?.length, 1);
  });

  it('give a limited number of channels', () => {
    const functions = Array.from({ length: 5_000 }, (_, at) => ({
      constants: [WEBHOOK.replace('123456789012345678', String(10n ** 17n + BigInt(at)))],
    }));
    const channels = channelsInCode({ constants: functions }, 311, limits);
    assert.ok(channels.length >= 32 && channels.length < 64, String(channels.length));
  });

  it('search the chat of many tokens once', () => {
    const spent = startStopwatch();
    const tokens = Array.from({ length: 1_300 }, (_, at) => `${TOKEN.slice(0, -4)}${1000 + at}`);
    const neighbours = Array.from({ length: 8 }, (_, at) => `${at}${'chat_id='.repeat(200_000)}`);
    assert.equal(urlsOf([tokens.join(' '), ...neighbours]).length, 32);
    assert.ok(spent() < 10_000);
  });

  it('stop when the time budget is used up', () => {
    assert.deepEqual(
      urlsOf([WEBHOOK], () => true),
      [],
    );
  });
});
