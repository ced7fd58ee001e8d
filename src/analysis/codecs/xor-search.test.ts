import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recordFindings } from '../../../test/analysis/findings.ts';
import { fuzzSettings } from '../../../test/analysis/fuzz.ts';
import { Subject } from '../subject.ts';
import { findXored, searchXored, unXor } from './xor-search.ts';

const STUB = 'This program cannot be run in DOS mode.\r\r\n$';

function programWith(text: string): Buffer {
  const header = Buffer.alloc(0x4e);
  header.write('MZ');
  return Buffer.concat([header, Buffer.from(STUB), Buffer.alloc(64), Buffer.from(text)]);
}

function find(bytes: Buffer) {
  const findings = recordFindings();
  findXored(new Subject(bytes, 'sample'), findings);
  return findings;
}

describe('the search under all XOR keys', () => {
  it('finds each needle under each key at its offset', () => {
    for (let key = 1; key < 256; key += 1) {
      const bytes = Buffer.concat([Buffer.alloc(9), unXor(Buffer.from('..needle in hay..'), key)]);
      assert.deepEqual(searchXored(bytes, ['needle', 'in hay']), [
        { needle: 'needle', offset: 11, key },
        { needle: 'in hay', offset: 18, key },
      ]);
    }
  });

  it('skips unencoded needles unless they are requested', () => {
    const bytes = Buffer.from('a needle');
    assert.deepEqual(searchXored(bytes, ['needle']), []);
    assert.deepEqual(searchXored(bytes, ['needle'], { plain: true }), [
      { needle: 'needle', offset: 2, key: 0 },
    ]);
  });

  it('finds a needle at the very end, but not a truncated one', () => {
    const sealed = unXor(Buffer.from('needle'), 7);
    assert.equal(searchXored(sealed, ['needle']).length, 1);
    assert.deepEqual(searchXored(sealed.subarray(0, 5), ['needle']), []);
  });

  it('stops at the requested number of hits', () => {
    const bytes = unXor(Buffer.from('needle'.repeat(50)), 1);
    assert.equal(searchXored(bytes, ['needle'], { maxHits: 10 }).length, 10);
  });

  it('refuses a needle that is too short', () => {
    assert.throws(() => searchXored(Buffer.alloc(9), ['abc']), RangeError);
  });

  it('reports only true hits for any bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(bytes, fc.nat(255), (noise, key) => {
        const hay = Buffer.concat([noise, unXor(Buffer.from('needle'), key), noise]);
        const hits = searchXored(hay, ['needle'], { plain: true });
        assert.ok(hits.some((hit) => hit.offset === noise.length && hit.key === key));
        for (const hit of hits) {
          const found = unXor(hay.subarray(hit.offset, hit.offset + 6), hit.key);
          assert.equal(found.toString('latin1'), 'needle');
        }
      }),
      fuzzSettings(),
    );
  });
});

describe('content encoded with one XOR key', () => {
  it('nests a program from its beginning', () => {
    const program = programWith('the rest');
    const found = find(Buffer.concat([Buffer.from('decoy'), unXor(program, 0x5a)]));
    assert.deepEqual(found.tags.get('XOR_ENCODED_PE'), { offset: 5 + 0x4e, note: 'key 0x5a' });
    assert.equal(found.nested.length, 1);
    assert.deepEqual(found.nested[0]?.bytes, program);
  });

  it('reports a program whose beginning is damaged', () => {
    const program = programWith('');
    program.write('XX');
    const found = find(unXor(program, 3));
    assert.equal(found.tags.has('XOR_ENCODED_PE'), true);
    assert.deepEqual(found.nested, []);
  });

  it('nests no more than the budget allows', () => {
    const findings = recordFindings({ bytes: 10 });
    findXored(new Subject(unXor(programWith(''), 3), 'sample'), findings);
    assert.equal(findings.tags.has('XOR_ENCODED_PE'), true);
    assert.deepEqual(findings.nested, []);
    assert.deepEqual(findings.limits, ['bytes']);
  });

  it('reports a URL with a plausible host', () => {
    const found = find(unXor(Buffer.from('\0\0http://gate.example.invalid/in.php\0\0'), 0xa7));
    assert.deepEqual(found.tags.get('XOR_ENCODED_URL'), { offset: 2, note: 'key 0xa7' });
    assert.deepEqual(found.indicators, [
      { kind: 'url', value: 'http://gate.example.invalid/in.php', offset: 2 },
    ]);
  });

  it('ignores URLs with an implausible or harmless host, and unencoded ones', () => {
    for (const text of [
      'http://\x01\x02\x03',
      'http://x',
      'http://www.w3.org/2000/svg',
      'https://',
    ]) {
      assert.equal(find(unXor(Buffer.from(text), 0x41)).tags.size, 0, text);
    }
    const plain = Buffer.concat([programWith('http://gate.example.invalid/')]);
    assert.equal(find(plain).tags.size, 0);
  });

  it('reports a limited number of hits', () => {
    const many = Buffer.concat(Array.from({ length: 9 }, () => unXor(programWith(''), 9)));
    const found = find(many);
    assert.equal(found.nested.length, 4);
    assert.deepEqual(found.limits, ['XOR search: 4 programs']);
    const more = find(unXor(Buffer.from('http://'.repeat(1500)), 9));
    assert.deepEqual(more.limits, ['XOR search: 1000 places']);
  });
});
