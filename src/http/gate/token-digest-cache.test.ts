import assert from 'node:assert/strict';
import { it } from 'node:test';
import { digestToken } from '../../domain/accounts/token.ts';
import { TokenDigestCache } from './token-digest-cache.ts';

it('returns the digest of the current token, not of an earlier one on the connection', () => {
  const digests = new TokenDigestCache();
  const [one, other] = [{}, {}];
  for (const [connection, token] of [
    [one, 'a'],
    [one, 'a'],
    [other, 'b'],
    [one, 'b'],
    [one, 'a'],
  ] as const) {
    assert.deepEqual(digests.of(connection, token), digestToken(token));
  }
});

it('computes it once while a connection sends the same token', () => {
  const digests = new TokenDigestCache();
  const connection = {};
  assert.equal(digests.of(connection, 'a'), digests.of(connection, 'a'));
});
