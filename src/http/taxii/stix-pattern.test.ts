import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPattern } from './stix-pattern.ts';

const SHA256 = 'ab'.repeat(32);

describe('a submitted pattern', () => {
  for (const [pattern, subject] of [
    ["[ipv4-addr:value = '203.0.113.7']", { host: '203.0.113.7' }],
    ["[ipv6-addr:value='2001:db8::7']", { host: '2001:db8::7' }],
    ["[domain-name:value = 'c2.evil.example']", { host: 'c2.evil.example' }],
    [`[file:hashes.'SHA-256' = '${SHA256}']`, { sha256: SHA256 }],
    [
      `[network-traffic:dst_ref.value = 'c2.evil.example' AND network-traffic:dst_port = 4444] AND [file:hashes.'SHA-256' = '${SHA256}']`,
      { host: 'c2.evil.example', port: 4444, sha256: SHA256 },
    ],
    ["[domain-name:value = 'it\\'s']", { host: "it's" }],
  ] as const) {
    it(`is read from ${pattern.slice(0, 60)}`, () =>
      assert.deepEqual(readPattern(pattern), subject));
  }

  for (const [pattern, problem] of [
    ['', /joined with AND/],
    ["[ipv4-addr:value = '203.0.113.7' OR ipv4-addr:value = '203.0.113.8']", /joined with AND/],
    ["[ipv4-addr:value ISSUBSET '203.0.113.0/24']", /joined with AND/],
    ["[url:value = 'http://evil.example/']", /compares url:value/],
    ["[ipv4-addr:value = '203.0.113.7' AND domain-name:value = 'a.example']", /more than one host/],
    ['[ipv4-addr:value = 7]', /with a text/],
    ["[network-traffic:dst_port = '4444']", /with a number/],
    [`[ipv4-addr:value = '${'x'.repeat(2000)}']`, /at most 2000/],
    ["[constructor:value = 'x']", /compares constructor/],
    ['[#]', /joined with AND/],
    ["[ipv4-addr:value = '203.0.113.7'] ; ", /joined with AND/],
    ['['.repeat(2000), /too long/],
    [`[${Array(60).fill('a:b = 1').join(' AND ')}]`, /too long/],
  ] as const) {
    it(`is refused if it is ${pattern.slice(0, 60)}`, () =>
      assert.match(String(readPattern(pattern)), problem));
  }
});
