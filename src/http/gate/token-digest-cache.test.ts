import assert from 'node:assert/strict';
import { it } from 'node:test';
import { digestToken } from '../../domain/accounts/token.ts';
import { TokenDigestCache } from './token-digest-cache.ts';

it('gives the digest of the token that was sent, whatever the connection sent before', () => {
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

it('computes it once for a connection that goes on sending the same', () => {
  const digests = new TokenDigestCache();
  const connection = {};
  assert.equal(digests.of(connection, 'a'), digests.of(connection, 'a'));
});
