import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fuzzSettings, hostileVariants } from '../../../../test/analysis/fuzz.ts';
import { isCode, type PyValue, readMarshal } from './marshal.ts';

/**
 * What `marshal.dumps(compile(…))` of each version made of
 *
 *   A = "one"
 *   def f(x, y=(1, "two")):
 *       return [x, 12345678901234567890, b"three", 1.5, -7]
 *   class C:
 *       t = "one"
 */
const MADE_BY_PYTHON: readonly (readonly [version: number, base64: string])[] = [
  [
    207,
    'YwAAAAAAAAAAAwAAAEAAAABzKQAAAGQAAFoAAGQHAGQDAIQBAFoBAGQEAGQIAGQFAIQAAIMAAFlaAgBkBgBTKAkAAAB0AwAAAG9uZWkBAAAAdAMAAAB0d29jAgAAAAIAAAAFAAAAQwAAAHMTAAAAfAAAZAEAZAIAZAMAZAQAZwUAUygFAAAATmwFAAAA0go+VjMmpVoKAHQFAAAAdGhyZWVnAAAAAAAA+D9p+f///ygAAAAAKAIAAAB0AQAAAHh0AQAAAHkoAAAAACgAAAAAcwQAAABmLnB5dAEAAABmAgAAAHMCAAAAAAF0AQAAAENjAAAAAAAAAAABAAAAQgAAAHMOAAAAZQAAWgEAZAAAWgIAUlMoAQAAAFIAAAAAKAMAAAB0CAAAAF9fbmFtZV9fdAoAAABfX21vZHVsZV9fdAEAAAB0KAAAAAAoAAAAACgAAAAAcwQAAABmLnB5UgYAAAAEAAAAcwIAAAAGAU4oAgAAAGkBAAAAUgEAAAAoAAAAACgDAAAAdAEAAABBUgUAAABSBgAAACgAAAAAKAAAAAAoAAAAAHMEAAAAZi5weXQIAAAAPG1vZHVsZT4BAAAAcwQAAAAGAQwC',
  ],
  [
    307,
    'YwAAAAAAAAAAAAAAAAMAAABAAAAAcyAAAABkAFoAZAdkAmQDhAFaAUcAZARkBYQAZAWDAloCZAZTACkI2gNvbmWpAukBAAAAWgN0d29jAgAAAAAAAAACAAAABQAAAEMAAABzDgAAAHwAZAFkAmQDZARnBVMAKQVObAUAAADSCj5WMyalWgoAcwUAAAB0aHJlZWcAAAAAAAD4P2n5////qQApAtoBeNoBeXIDAAAAcgMAAAD6BGYucHnaAWYCAAAAcwIAAAAAAXIHAAAAYwAAAAAAAAAAAAAAAAEAAABAAAAAcxAAAABlAFoBZABaAmQBWgNkAlMAKQPaAUNyAAAAAE4pBNoIX19uYW1lX1/aCl9fbW9kdWxlX1/aDF9fcXVhbG5hbWVfX9oBdHIDAAAAcgMAAAByAwAAAHIGAAAAcggAAAAEAAAAcwIAAAAIAXIIAAAATikBcgEAAAApA9oBQXIHAAAAcggAAAByAwAAAHIDAAAAcgMAAAByBgAAANoIPG1vZHVsZT4BAAAAcwQAAAAEAQoC',
  ],
  [
    308,
    'YwAAAAAAAAAAAAAAAAAAAAADAAAAQAAAAHMgAAAAZABaAGQHZAJkA4QBWgFHAGQEZAWEAGQFgwJaAmQGUwApCNoDb25lqQLpAQAAAFoDdHdvYwIAAAAAAAAAAAAAAAIAAAAFAAAAQwAAAHMOAAAAfABkAWQCZANkBGcFUwApBU5sBQAAANIKPlYzJqVaCgBzBQAAAHRocmVlZwAAAAAAAPg/afn///+pACkC2gF42gF5cgMAAAByAwAAAPoEZi5wedoBZgIAAABzAgAAAAABcgcAAABjAAAAAAAAAAAAAAAAAAAAAAEAAABAAAAAcxAAAABlAFoBZABaAmQBWgNkAlMAKQPaAUNyAAAAAE4pBNoIX19uYW1lX1/aCl9fbW9kdWxlX1/aDF9fcXVhbG5hbWVfX9oBdHIDAAAAcgMAAAByAwAAAHIGAAAAcggAAAAEAAAAcwIAAAAIAXIIAAAATikBcgEAAAApA9oBQXIHAAAAcggAAAByAwAAAHIDAAAAcgMAAAByBgAAANoIPG1vZHVsZT4BAAAAcwQAAAAEAQoC',
  ],
  [
    311,
    'YwAAAAAAAAAAAAAAAAQAAAAAAAAA8ywAAACXAGQAWgBkBmQChAFaAQIARwBkA4QAZASmAgAAqwIAAAAAAAAAAFoCZAVTACkH2gNvbmWpAukBAAAA2gN0d29jAgAAAAAAAAAAAAAABQAAAAMAAADzEAAAAJcAfABkAWQCZANkBGcFUwApBU5sBQAAANIKPlYzJqVaCgBzBQAAAHRocmVlZwAAAAAAAPg/afn///+pACkC2gF42gF5cwIAAAAgIPoEZi5wedoBZnIKAAAAAgAAAHMUAAAAgADYDA3QDyOgWKhzsELQCzfQBDfzAAAAAGMAAAAAAAAAAAAAAAABAAAAAAAAAPMSAAAAlwBlAFoBZABaAmQBWgNkAlMAKQPaAUNyAQAAAE4pBNoIX19uYW1lX1/aCl9fbW9kdWxlX1/aDF9fcXVhbG5hbWVfX9oBdHIGAAAAcgsAAAByCQAAAHINAAAAcg0AAAAEAAAAcxMAAACAAIAAgACAAIAA2AgNgEGAQYBBcgsAAAByDQAAAE4pAXICAAAAKQPaAUFyCgAAAHINAAAAcgYAAAByCwAAAHIJAAAA+gg8bW9kdWxlPnITAAAAAQAAAHNQAAAA8AMBAQHYBAmAAfACAQE48AABATjwAAEBOPAAAQE48AQBAQ7wAAEBDvAAAQEO8AABAQ7wAAEBDvEAAQEO9AABAQ7wAAEBDvAAAQEO8AABAQ5yCwAAAA==',
  ],
  [
    313,
    'YwAAAAAAAAAAAAAAAAQAAAAAAAAA8yYAAACVAFMAcgBTBVMBGgBqAXIBGAAiAFMCGgBTAzUCAAAAAAAAcgJnBCkG2gNvbmVjAgAAAAAAAAAAAAAABQAAAAMAAADzEAAAAJUAVQBTAVMCUwNTBC8FJAApBU5sBQAAANIKPlYzJqVaCgBzBQAAAHRocmVlZwAAAAAAAPg/afn///+pACkC2gF42gF5cwIAAAAgINoEZi5wedoBZnIHAAAAAgAAAHMUAAAAgADYDA3QDyOgWKhzsELQCzfQBDfzAAAAAGMAAAAAAAAAAAAAAAABAAAAAAAAAPMYAAAAlQBcAHIBUwByAlMBcgNTAnIEUwNyBWcEKQXaAUPpBAAAAHIBAAAAcgMAAABOKQbaCF9fbmFtZV9f2gpfX21vZHVsZV9f2gxfX3F1YWxuYW1lX1/aD19fZmlyc3RsaW5lbm9fX9oBdNoVX19zdGF0aWNfYXR0cmlidXRlc19fcgMAAAByCAAAAHIGAAAAcgoAAAByCgAAAAQAAABzBwAAAIYA2AgNg0FyCAAAAHIKAAAATikBKQLpAQAAANoDdHdvKQPaAUFyBwAAAHIKAAAAcgMAAAByCAAAAHIGAAAA2gg8bW9kdWxlPnIVAAAAAQAAAHMZAAAA8AMBAQHYBAmAAfQCAQE49wQBAQ7yAAEBDnIIAAAA',
  ],
];

/** Every constant that is not code, outermost first. */
function leaves(value: PyValue): PyValue[] {
  if (isCode(value)) return value.constants.flatMap(leaves);
  if (Array.isArray(value)) return (value as readonly PyValue[]).flatMap(leaves);
  return [Buffer.isBuffer(value) ? value.toString() : value];
}

describe('marshalled Python', () => {
  for (const [version, base64] of MADE_BY_PYTHON) {
    it(`is read as version ${version} writes it`, () => {
      const code = readMarshal(Buffer.from(base64, 'base64'), version);
      assert.ok(isCode(code));
      const found = new Set(leaves(code));
      for (const constant of ['one', 'two', 'three', 12_345_678_901_234_567_890n, 1.5, -7]) {
        assert.ok(found.has(constant), String(constant));
      }
    });
  }

  it('returns nothing for truncated, deeply nested or oversized input', () => {
    const whole = Buffer.from(MADE_BY_PYTHON[3]?.[1] ?? '', 'base64');
    assert.equal(readMarshal(whole.subarray(0, whole.length - 1), 311), undefined);
    assert.equal(readMarshal(Buffer.alloc(10_000, ')\x01'), 311), undefined);
    assert.equal(readMarshal(Buffer.from('(\xff\xff\xff\xff', 'latin1'), 311), undefined);
    assert.equal(readMarshal(Buffer.from('l\xff\xff\xff\x7f', 'latin1'), 311), undefined);
    assert.equal(readMarshal(Buffer.alloc(0), 311), undefined);
  });

  it('returns for any damage', () => {
    const whole = Buffer.from(MADE_BY_PYTHON[3]?.[1] ?? '', 'base64');
    fc.assert(
      fc.property(hostileVariants(whole), fc.constantFrom(207, 307, 309, 311), (bytes, version) => {
        readMarshal(bytes, version);
      }),
      fuzzSettings(),
    );
  });
});
