import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { always } from '../../test/always.ts';
import { formatUuid, formatUuidV7, parseUuid, uuidBytes, uuidV5 } from './uuid.ts';

const random = fc.uint8Array({ minLength: 10, maxLength: 10 });
const moment = fc.date({
  min: new Date(0),
  max: new Date(2 ** 48 - 1),
  noInvalidDate: true,
});

describe('an id', () => {
  it('has the shape, version and variant of RFC 9562', () => {
    always(
      fc.property(moment, random, (now, bytes) => {
        assert.match(
          formatUuidV7(now, bytes),
          /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
      }),
    );
  });

  it('contains the millisecond of its creation', () => {
    always(
      fc.property(moment, random, (now, bytes) => {
        const hex = formatUuidV7(now, bytes).replaceAll('-', '').slice(0, 12);
        assert.equal(Number.parseInt(hex, 16), now.getTime());
      }),
    );
  });

  it('sorts after every id of an earlier millisecond', () => {
    always(
      fc.property(moment, moment, random, random, (a, b, bytesOfA, bytesOfB) => {
        fc.pre(a.getTime() !== b.getTime());
        assert.equal(formatUuidV7(a, bytesOfA) < formatUuidV7(b, bytesOfB), a < b);
      }),
    );
  });

  it('differs in each of 74 random bits', () => {
    const now = new Date('2026-08-26T10:00:00Z');
    const ids = new Set<string>();
    for (let bit = 0; bit < 80; bit += 1) {
      const bytes = new Uint8Array(10);
      bytes[bit >> 3] = 1 << (bit & 7);
      ids.add(formatUuidV7(now, bytes));
    }
    const blank = formatUuidV7(now, new Uint8Array(10));
    assert.ok([...ids].filter((id) => id !== blank).length >= 74);
  });

  it('takes only its own bytes from a larger buffer', () => {
    const whole = Uint8Array.from({ length: 30 }, (_, index) => index);
    const now = new Date('2026-08-26T10:00:00Z');
    assert.equal(formatUuidV7(now, whole.subarray(10, 20)), formatUuidV7(now, whole.slice(10, 20)));
  });

  it('is the example of RFC 9562 for its time and random bits', () => {
    // Appendix A.6: 017F22E2-79B0-7CC3-98C4-DC0C0C07398F
    const bytes = Buffer.from('cc318c4dc0c0c07398f0', 'hex');
    const id = formatUuidV7(new Date('2022-02-22T19:22:22.000Z'), bytes);
    assert.equal(id, '017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
  });
});

describe('the id that a caller gives', () => {
  it('may be any UUID in any case', () => {
    always(
      fc.property(fc.mixedCase(fc.uuid()), (text) => {
        assert.equal(parseUuid(text), text.toLowerCase());
      }),
    );
  });

  it('may be one that we made', () => {
    always(
      fc.property(moment, random, (now, bytes) => {
        const id = formatUuidV7(now, bytes);
        assert.equal(parseUuid(id), id);
      }),
    );
  });

  it('has nothing around it, nothing missing and nothing else in it', () => {
    always(
      fc.property(
        fc.uuid(),
        fc.nat(),
        fc.constantFrom('', 'g', ' ', '\n', '０'),
        (id, at, sign) => {
          const index = at % id.length;
          assert.equal(parseUuid(id.slice(0, index) + sign + id.slice(index + 1)), undefined);
        },
      ),
    );
    const id = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';
    for (const text of [
      '',
      ` ${id}`,
      `${id}\n`,
      `{${id}}`,
      `urn:uuid:${id}`,
      id.replaceAll('-', ''),
    ])
      assert.equal(parseUuid(text), undefined, text);
  });
});

describe('an id of given bytes', () => {
  it('keeps all bits but those of version and variant', () => {
    const zeros = Buffer.alloc(16);
    assert.equal(formatUuid(zeros, 4), '00000000-0000-4000-8000-000000000000');
    assert.equal(formatUuid(zeros, 8), '00000000-0000-8000-8000-000000000000');
    const ones = Buffer.alloc(32, 0xff);
    assert.equal(formatUuid(ones, 5), 'ffffffff-ffff-5fff-bfff-ffffffffffff');
    assert.equal(ones.equals(Buffer.alloc(32, 0xff)), true);
  });
});

describe('an id of a name', () => {
  it('is that of the example in RFC 9562, appendix A.4', () => {
    const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
    assert.equal(uuidV5(dns, 'www.example.com'), '2ed6657d-e927-568b-95e1-2665a8aea6a2');
    const long = 'ü'.repeat(2000);
    const digest = hash('sha1', Buffer.concat([uuidBytes(dns), Buffer.from(long)]), 'buffer');
    assert.equal(uuidV5(dns, long), formatUuid(digest, 5));
    // More namespaces than are remembered.
    const ids = Array.from({ length: 20 }, (_, index) => uuidV5(uuidV5(dns, `n${index}`), 'a'));
    assert.equal(new Set(ids).size, 20);
  });
});

describe('the bytes of an id', () => {
  it('make the id again', () => {
    always(
      fc.property(moment, random, (now, bytes) => {
        const id = formatUuidV7(now, bytes);
        assert.equal(formatUuid(uuidBytes(id), 7), id);
      }),
    );
  });
});
