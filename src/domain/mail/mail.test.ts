import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeMail } from './mail-retries.ts';
import { mailDueAt, parseMailAddress } from './mail-settings.ts';

describe('a mail address', () => {
  it('is stored with its domain in lower case', () => {
    assert.equal(parseMailAddress('Abuse+c2@Ply.EXAMPLE'), 'Abuse+c2@ply.example');
    assert.equal(parseMailAddress('root@localhost'), 'root@localhost');
  });

  const wrong = [
    '',
    'a',
    '@b.example',
    'a@',
    'a@b@c',
    'a@b..c',
    '.a@b.example',
    'a.@b.example',
    'a@-b.example',
    '"a b"@c.example',
    'a@[127.0.0.1]',
    'a\n@b.example',
    'a@b.example\n',
    `${'a'.repeat(65)}@b.example`,
    `a@${'b'.repeat(64)}.example`,
    `a@${'b.'.repeat(130)}example`,
  ];
  for (const text of wrong)
    it(`is not ${JSON.stringify(text.slice(0, 40))}`, () => {
      assert.equal(parseMailAddress(text), undefined);
    });
});

describe('the time of a mail', () => {
  it('is that of the report, or the end of its UTC day', () => {
    const at = new Date('2026-12-31T23:59:59.999Z');
    assert.deepEqual(mailDueAt('each', at), at);
    assert.deepEqual(mailDueAt('daily', at), new Date('2027-01-01T00:00:00Z'));
    const midnight = new Date('2027-01-01T00:00:00Z');
    assert.deepEqual(mailDueAt('daily', midnight), new Date('2027-01-02T00:00:00Z'));
  });
});

describe('an attempt at a mail', () => {
  const now = new Date('2026-11-16T10:00:00Z');
  const attempt = { attempts: 1, failingSince: undefined, now, chance: 0 };

  it('ends with an answer of the server about the mail', () => {
    assert.deepEqual(judgeMail({ kind: 'accepted', code: 250 }, attempt), {
      kind: 'delivered',
      status: 250,
      at: now,
    });
    assert.partialDeepStrictEqual(judgeMail({ kind: 'refused', code: 550 }, attempt), {
      kind: 'dead',
      status: 550,
      disable: undefined,
    });
  });

  it('is repeated after other failures, ten times, and never disables the destination', () => {
    const failed = { kind: 'failed', code: undefined, error: 'Down.' } as const;
    assert.partialDeepStrictEqual(judgeMail(failed, attempt), {
      kind: 'again',
      error: 'Down.',
      dueAt: new Date('2026-11-16T10:00:05Z'),
    });
    const late = { ...attempt, attempts: 10, failingSince: new Date('2026-01-01T00:00:00Z') };
    assert.partialDeepStrictEqual(judgeMail(failed, late), { kind: 'dead', disable: undefined });
  });
});
