import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { always } from '../../../test/always.ts';
import {
  digestToken,
  formatSecret,
  formatToken,
  isSecret,
  isToken,
  TOKEN_LENGTH,
  TOKEN_RANDOM_BYTES,
  tokenHint,
} from './token.ts';

const ALPHABET = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'];
const random = fc.uint8Array({ minLength: TOKEN_RANDOM_BYTES, maxLength: TOKEN_RANDOM_BYTES });
const token = random.map(formatToken);

function withOneChanged(text: string): string[] {
  return [...text].flatMap((sign, index) =>
    ALPHABET.filter((other) => other !== sign).map(
      (other) => text.slice(0, index) + other + text.slice(index + 1),
    ),
  );
}

describe('a token', () => {
  it('is recognised once it is made', () => {
    always(fc.property(token, (text) => assert.equal(isToken(text), true)));
  });

  it('begins with rap_ and has letters, digits, underscores and hyphens only', () => {
    always(fc.property(token, (text) => assert.match(text, /^rap_[A-Za-z0-9_-]+$/)));
  });

  it('has at least 160 random bits, all of which show in it', () => {
    assert.ok(TOKEN_RANDOM_BYTES * 8 >= 160);
    always(
      fc.property(random, fc.nat(), (bytes, at) => {
        const bit = at % (bytes.length * 8);
        const other = bytes.map((byte, index) =>
          index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte,
        );
        assert.notEqual(formatToken(other), formatToken(bytes));
      }),
    );
  });

  it('is refused with any one character changed', () => {
    always(
      fc.property(token, (text) => {
        const passing = withOneChanged(text).filter(isToken);
        assert.deepEqual(passing, []);
      }),
      // Each of them is more than 2600 texts.
      20,
    );
  });

  it('is refused with any invalid character', () => {
    const sign = fc.constantFrom(...' +/=.~%"\0\n', 'é', 'Ａ', '\u200b');
    always(
      fc.property(token, sign, fc.nat(), (text, bad, at) => {
        const index = at % text.length;
        assert.equal(isToken(text.slice(0, index) + bad + text.slice(index + 1)), false);
      }),
    );
  });

  it('is refused when it is truncated', () => {
    always(
      fc.property(token, (text) => {
        for (let length = 0; length < text.length; length += 1) {
          assert.equal(isToken(text.slice(0, length)), false);
          assert.equal(isToken(text.slice(text.length - length)), false);
        }
      }),
    );
  });

  it('is refused with anything before or after it', () => {
    const more = fc.string({ unit: fc.constantFrom(...ALPHABET, ' ', '\n'), minLength: 1 });
    always(
      fc.property(token, more, (text, rest) => {
        assert.equal(isToken(text + rest), false);
        assert.equal(isToken(rest + text), false);
      }),
    );
  });

  it('is refused in other letter case', () => {
    always(
      fc.property(token, (text) => {
        assert.equal(isToken(text.toUpperCase()), false);
      }),
    );
  });

  it('is refused with two neighbours swapped', () => {
    always(
      fc.property(token, fc.nat(), (text, at) => {
        const index = at % (text.length - 1);
        const [a = '', b = ''] = text.slice(index, index + 2);
        fc.pre(a !== b);
        assert.equal(isToken(text.slice(0, index) + b + a + text.slice(index + 2)), false);
      }),
    );
  });

  it('has the same format in every version, because old tokens must stay valid', () => {
    const text = formatToken(Uint8Array.from({ length: 24 }, (_, index) => index));
    assert.equal(text, 'rap_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXCoYlhw');
  });

  it('is not made from too few or too many bytes', () => {
    assert.throws(() => formatToken(new Uint8Array(23)), RangeError);
    assert.throws(() => formatToken(new Uint8Array(25)), RangeError);
  });

  it('is stored as its SHA-256', () => {
    always(
      fc.property(token, (text) => {
        assert.deepEqual(digestToken(text), createHash('sha256').update(text).digest());
      }),
    );
  });

  it('shows no more than four of its random characters in its hint', () => {
    always(
      fc.property(token, (text) => {
        assert.equal(tokenHint(text), `${text.slice(0, 8)}…`);
      }),
    );
  });
});

describe('the secrets of sessions and links', () => {
  const kinds = ['token', 'session', 'link'] as const;

  it('are each recognised as what they are, and as nothing else', () => {
    always(
      fc.property(random, fc.constantFrom(...kinds), (bytes, kind) => {
        const secret = formatSecret(kind, bytes);
        for (const other of kinds) assert.equal(isSecret(other, secret), other === kind);
      }),
    );
  });

  it('begin so that a scanner can tell them apart, and are as long as a token', () => {
    const secrets = kinds.map((kind) => formatSecret(kind, new Uint8Array(TOKEN_RANDOM_BYTES)));
    assert.deepEqual(
      secrets.map((secret) => secret.slice(0, 4)),
      ['rap_', 'ras_', 'ral_'],
    );
    for (const secret of secrets) assert.equal(secret.length, TOKEN_LENGTH);
    assert.equal(new Set(secrets.map((secret) => digestToken(secret).toString('hex'))).size, 3);
  });
});
