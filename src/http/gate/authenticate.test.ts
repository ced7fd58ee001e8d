import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { always } from '../../../test/always.ts';
import { formatToken } from '../../domain/accounts/token.ts';
import { readToken } from './authenticate.ts';

const token = fc.uint8Array({ minLength: 24, maxLength: 24 }).map(formatToken);
const gap = fc.constantFrom(' ', '  ', '\t', ' \t ');

function basic(text: string): string {
  return Buffer.from(text).toString('base64');
}

describe('the token of a request', () => {
  it('is the whole Authorization header, as in the specification', () => {
    always(fc.property(token, (text) => assert.equal(readToken({ authorization: text }), text)));
  });

  it('may follow Bearer or Token in any case', () => {
    const scheme = fc.mixedCase(fc.constantFrom('bearer', 'token'));
    always(
      fc.property(scheme, gap, token, (name, space, text) => {
        assert.equal(readToken({ authorization: `${name}${space}${text}` }), text);
      }),
    );
  });

  it('may be the password of Basic in any case, with any user name', () => {
    const user = fc.string({ unit: fc.constantFrom(...'abc@é 💀') });
    always(
      fc.property(
        fc.mixedCase(fc.constant('basic')),
        gap,
        user,
        token,
        (name, space, who, text) => {
          const authorization = `${name}${space}${basic(`${who}:${text}`)}`;
          assert.equal(readToken({ authorization }), text);
        },
      ),
    );
  });

  it('may be the user name of Basic, with any password that is no token', () => {
    const password = fc.string({ unit: fc.constantFrom(...'x:@é ') });
    always(
      fc.property(token, password, (text, other) => {
        assert.equal(readToken({ authorization: `Basic ${basic(`${text}:${other}`)}` }), text);
      }),
    );
  });

  it('is the password of Basic if user name and password are tokens', () => {
    always(
      fc.property(token, token, (user, password) => {
        const authorization = `Basic ${basic(`${user}:${password}`)}`;
        assert.equal(readToken({ authorization }), password);
      }),
    );
  });

  it('is everything after the first colon of Basic', () => {
    assert.equal(readToken({ authorization: `Basic ${basic('a:b:c')}` }), 'b:c');
  });

  it('may be in X-Api-Key or Auth-Key', () => {
    always(
      fc.property(token, fc.constantFrom('x-api-key', 'auth-key', 'api-key'), (text, header) => {
        assert.equal(readToken({ [header]: text }), text);
      }),
    );
  });

  it('is read from X-Api-Key before Auth-Key', () => {
    assert.equal(readToken({ 'x-api-key': 'a', 'auth-key': 'b' }), 'a');
  });

  it('is the first value of a repeated header', () => {
    assert.equal(readToken({ 'x-api-key': ['a', 'b'] }), 'a');
  });

  it('is that of Authorization if several headers have one', () => {
    assert.equal(readToken({ authorization: 'Bearer a', 'x-api-key': 'b' }), 'a');
  });

  it('is read from other headers if Authorization is empty', () => {
    assert.equal(readToken({ authorization: '', 'x-api-key': 'b' }), 'b');
  });

  it('is absent if no header has one', () => {
    assert.equal(readToken({}), undefined);
    assert.equal(readToken({ authorization: '' }), undefined);
  });

  for (const authorization of [
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Digest abc',
    'bearerabc',
    'Basic',
  ]) {
    it(`is the malformed value ${JSON.stringify(authorization)} itself, which is rejected later`, () => {
      assert.equal(readToken({ authorization }), authorization);
    });
  }

  it('is never decoded from invalid base64', () => {
    assert.equal(readToken({ authorization: 'Basic %%%' }), '');
  });
});
