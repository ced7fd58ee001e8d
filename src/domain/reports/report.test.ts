import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { always, codePoint } from '../../../test/always.ts';
import { distinctTags, isMisrouted, isReference, isTag, isVisible, nameReport } from './report.ts';

const UNSEEN = [
  '\0',
  '\t',
  '\n',
  '\r',
  '\x1b',
  '\x7f',
  '\x85',
  '\u00a0',
  '\u00ad',
  '\u034f',
  '\u061c',
  '\u115f',
  '\u1680',
  '\u17b4',
  '\u180e',
  '\u2003',
  '\u200b',
  '\u200c',
  '\u200d',
  '\u200e',
  '\u200f',
  '\u2028',
  '\u2029',
  '\u202a',
  '\u202e',
  '\u2060',
  '\u2066',
  '\u2069',
  '\u2800',
  '\u3000',
  '\u3164',
  '\ud800',
  '\udc00',
  '\ue000',
  '\ufe0f',
  '\ufeff',
  '\uffa0',
  '\ufff9',
  '\uffff',
  '\u{1d173}',
  '\u{e0001}',
  '\u{e0041}',
  '\u{e0100}',
  '\u{10ffff}',
];

const VISIBLE = [
  ...'abcXYZ019 .,:;!?-_/\\"\'<>&=+@#$%^*()[]{}|~`äßéñЖж中文日한αΩ€→☠💀🦠א',
  'e\u0301',
];

const visible = fc
  .string({ unit: fc.constantFrom(...VISIBLE), minLength: 1, maxLength: 30 })
  .filter((text) => text.trim() !== '');

describe('a tag', () => {
  it('may contain any visible character', () => {
    always(fc.property(visible, (text) => assert.equal(isTag(text), true)));
  });

  it('holds no control, invisible, direction-changing, private or broken character anywhere', () => {
    always(
      fc.property(visible, visible, fc.constantFrom(...UNSEEN), (before, after, sign) => {
        for (const text of [sign, sign + after, before + sign, before + sign + after])
          assert.equal(isTag(text), false, JSON.stringify(text));
      }),
    );
  });

  it('holds no character that Unicode calls control, format, surrogate, private or unassigned', () => {
    always(
      fc.property(fc.string({ unit: codePoint, minLength: 1, maxLength: 64 }), (text) => {
        if (/[\p{C}\p{Zl}\p{Zp}]/u.test(text)) assert.equal(isTag(text), false);
      }),
    );
  });

  it('has at most 64 characters, however many units or bytes each of them takes', () => {
    always(
      fc.property(fc.constantFrom('a', 'é', '中', '💀', '𝔛'), (sign) => {
        assert.equal(isTag(sign.repeat(64)), true);
        assert.equal(isTag(sign.repeat(65)), false);
      }),
    );
  });

  it('is not empty and not of spaces only', () => {
    for (const text of ['', ' ', ' '.repeat(64)]) assert.equal(isTag(text), false);
  });
});

describe('visible text', () => {
  it('is judged the same with and without a letter of another script in it', () => {
    always(
      fc.property(fc.string({ unit: 'binary-ascii', minLength: 1 }), (text) => {
        const printable = /^[\x20-\x7e]*$/.test(text);
        assert.equal(isVisible(`${text}x`), printable);
        assert.equal(isVisible(`${text}é`), printable);
      }),
    );
  });
});

describe('a reference link', () => {
  it('may be any http or https URL', () => {
    always(
      fc.property(
        fc.webUrl({ withFragments: true, withQueryParameters: true }),
        fc.boolean(),
        (url, upper) => {
          assert.equal(
            isReference(upper ? url.replace(/^https?/, (s) => s.toUpperCase()) : url),
            true,
          );
        },
      ),
    );
  });

  it('has no user name and no password', () => {
    const user = fc.stringMatching(/^[a-z0-9:%._~!$&'()*+,;=-]{0,10}$/);
    always(
      fc.property(fc.webUrl(), user, (url, text) => {
        assert.equal(isReference(url.replace('://', () => `://${text}@`)), false);
      }),
    );
  });

  it('has no user name after more than two slashes, which browsers would accept', () => {
    for (const text of ['http:///user:secret@evil.example/', 'https:////user@evil.example'])
      assert.equal(isReference(text), false, text);
  });

  it('has no other scheme', () => {
    always(
      fc.property(
        fc.webUrl(),
        fc.constantFrom('ftp', 'file', 'javascript', 'data', 'ws', 'hxxp', 'httpx', ' http', ''),
        (url, scheme) => assert.equal(isReference(url.replace(/^https?/, scheme)), false),
      ),
    );
  });

  it('holds no white space, backslash, control or invisible character', () => {
    always(
      fc.property(fc.webUrl(), fc.constantFrom(' ', '\\', ...UNSEEN), fc.nat(), (url, sign, at) => {
        const index = at % (url.length + 1);
        assert.equal(isReference(url.slice(0, index) + sign + url.slice(index)), false);
      }),
    );
  });

  it('is at most 2048 characters long', () => {
    const url = `https://evil.example/${'x'.repeat(2027)}`;
    assert.equal(url.length, 2048);
    assert.equal(isReference(url), true);
    assert.equal(isReference(`${url}x`), false);
  });

  const links: readonly [text: string, taken: boolean][] = [
    ['https://evil.example', true],
    ['http://localhost:8080/files/abc', true],
    ['http://1.2.3.4/', true],
    ['https://[2001:db8::1]:8443/x', true],
    ['https://bücher.example/straße?q=ä#ö', true],
    ['https://evil.example/a@b', true],
    ['https://evil.example?mail=a@b', true],
    ['', false],
    ['evil.example', false],
    ['//evil.example', false],
    ['http:/evil.example', false],
    ['http:evil.example', false],
    ['http://', false],
    ['http:///', false],
    ['http://?x', false],
    ['http://#x', false],
    ['http://@evil.example', false],
    ['http://evil.example:99999', false],
    ['http://evil.example:port', false],
    ['http://1.2.3.999/', false],
    ['http://[::1', false],
    ['http://%00/', false],
    ['http:\\\\evil.example', false],
  ];
  for (const [text, taken] of links) {
    it(`${taken ? 'may' : 'may not'} be ${JSON.stringify(text)}`, () => {
      assert.equal(isReference(text), taken);
    });
  }
});

describe('the name of a report', () => {
  it('is the family of its file, if there is one', () => {
    assert.equal(nameReport('ASYNCRAT', ['rat']), 'ASYNCRAT');
  });

  it('is otherwise its first tag', () => {
    assert.equal(nameReport(undefined, ['rat', 'dotnet']), 'rat');
  });

  it('is otherwise "unknown"', () => {
    assert.equal(nameReport(undefined, []), 'unknown');
  });
});

describe('a misrouted report', () => {
  it('is in another feed than that of the service that answers for its C2', () => {
    assert.equal(isMisrouted({ service: 'ply', routedTo: 'kite' }), true);
  });

  it('is never one in the feed of that service, nor one whose C2 no service answers for', () => {
    assert.equal(isMisrouted({ service: 'ply', routedTo: 'ply' }), false);
    assert.equal(isMisrouted({ service: 'ply', routedTo: undefined }), false);
  });
});

describe('the tags of a report', () => {
  it('are distinct, in the order of their first occurrence', () => {
    assert.deepEqual(distinctTags(['b', 'a', 'b', 'B', 'a']), ['b', 'a', 'B']);
    const tags = ['b', 'a'];
    assert.equal(distinctTags(tags), tags);
  });
});
