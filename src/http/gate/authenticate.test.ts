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
  it('is the Authorization header itself, as the specification has it', () => {
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

  it('is all behind the first colon of Basic, so a user name cannot hide it', () => {
    assert.equal(readToken({ authorization: `Basic ${basic('a:b:c')}` }), 'b:c');
  });

  it('may stand in X-Api-Key or Auth-Key', () => {
    always(
      fc.property(token, fc.constantFrom('x-api-key', 'auth-key'), (text, header) => {
        assert.equal(readToken({ [header]: text }), text);
      }),
    );
  });

  it('is looked for in X-Api-Key before Auth-Key', () => {
    assert.equal(readToken({ 'x-api-key': 'a', 'auth-key': 'b' }), 'a');
  });

  it('is the first where a header came more than once', () => {
    assert.equal(readToken({ 'x-api-key': ['a', 'b'] }), 'a');
  });

  it('is that of Authorization where several headers have one', () => {
    assert.equal(readToken({ authorization: 'Bearer a', 'x-api-key': 'b' }), 'a');
  });

  it('is looked for elsewhere where Authorization is empty', () => {
    assert.equal(readToken({ authorization: '', 'x-api-key': 'b' }), 'b');
  });

  it('is absent where no header has one', () => {
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
    it(`is ${JSON.stringify(authorization)} itself where that cannot be read, and so a bad one`, () => {
      assert.equal(readToken({ authorization }), authorization);
    });
  }

  it('is never made from broken base64', () => {
    assert.equal(readToken({ authorization: 'Basic %%%' }), '');
  });
});
