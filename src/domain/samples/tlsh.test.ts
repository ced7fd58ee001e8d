import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { formatTlsh, neighbourBands, parseTlsh, tlshBands, tlshDistance } from './tlsh.ts';

const { digests, distances }: { digests: string[]; distances: string } = JSON.parse(
  readFileSync(
    new URL('../../../test/fixtures/analysis/tlsh/distances.json', import.meta.url),
    'utf8',
  ),
);

function parsed(text: string | undefined) {
  const digest = parseTlsh(text ?? '');
  assert.ok(digest);
  return digest;
}

describe('parseTlsh', () => {
  it('is the inverse of formatTlsh', () => {
    for (const text of digests) assert.equal(formatTlsh(parsed(text)), text);
  });

  it('accepts any case, with or without the version', () => {
    const [text = ''] = digests;
    for (const other of [text.toLowerCase(), text.slice(2), text.slice(2).toLowerCase()])
      assert.deepEqual(parsed(other), parsed(text));
  });

  it('refuses everything else', () => {
    const [text = ''] = digests;
    for (const other of ['', 'T1', 'TNULL', text.slice(0, -1), `${text}0`, `T2${text.slice(2)}`])
      assert.equal(parseTlsh(other), undefined);
  });
});

describe('tlshDistance', () => {
  /** Pairs that differ in the checksum, the length, the ratios or the body only, and in all. */
  it('equals that of the reference, for thousands of pairs', () => {
    const pairs = distances.split(',').map((row) => row.split(' ').map(Number));
    assert.ok(pairs.length > 2000);
    const others = pairs.filter(([one = 0, other = 0, distance]) => {
      const [a, b] = [parsed(digests[one]), parsed(digests[other])];
      return tlshDistance(a, b) !== distance || tlshDistance(b, a) !== distance;
    });
    assert.deepEqual(others, []);
  });
});

describe('the bands of a digest', () => {
  it('are sixteen distinct keys', () => {
    for (const text of digests.slice(0, 100)) {
      const bands = tlshBands(parsed(text));
      assert.equal(new Set(bands).size, 16);
      assert.ok(bands.every((band, index) => Math.floor(band / 65_536) === index));
    }
  });

  it('have as neighbours those with one bucket one step away', () => {
    const body = new Uint8Array(32).fill(0b00_01_10_11);
    const digest = { ...parsed(digests[0]), body };
    const neighbours = neighbourBands(digest);
    // The outer quartiles have one neighbour, the inner ones two.
    assert.equal(neighbours.length, 32 * 6);
    assert.equal(new Set(neighbours).size, neighbours.length);
    const bandsOf = (changed: Uint8Array) => tlshBands({ ...digest, body: changed });
    for (const changed of [0b00_01_10_10, 0b00_01_11_11, 0b01_01_10_11])
      assert.ok(neighbours.includes(bandsOf(body.with(31, changed)).at(-1) ?? -1));
    assert.ok(!neighbours.includes(bandsOf(body.with(31, 0b00_01_10_01)).at(-1) ?? -1));
  });
});
