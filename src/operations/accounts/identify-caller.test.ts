import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alice, fakeDependencies } from '../../../test/fakes.ts';
import type { Credential } from '../../domain/accounts/caller.ts';
import { digestToken, formatToken } from '../../domain/accounts/token.ts';
import { identifyCaller } from './identify-caller.ts';

const TOKEN = formatToken(new Uint8Array(24).fill(1));
const OTHER = formatToken(new Uint8Array(24).fill(2));

const live: Credential = {
  caller: alice,
  digest: digestToken(TOKEN),
  disabled: false,
  revoked: false,
  expiresAt: undefined,
};

function access(credential: Credential | undefined) {
  const asked: Uint8Array[] = [];
  const deps = fakeDependencies({
    access: {
      async findCredential(digest) {
        asked.push(digest);
        return credential;
      },
    },
  });
  return { deps, asked };
}

describe('identifying a caller', () => {
  it('finds the account of a live token', async () => {
    const { deps, asked } = access(live);
    assert.equal(await identifyCaller(deps, TOKEN), alice);
    assert.deepEqual(asked, [digestToken(TOKEN)]);
  });

  it('finds no caller for an unknown token', async () => {
    assert.equal(await identifyCaller(access(undefined).deps, TOKEN), undefined);
  });

  it('finds no caller if the store returns the credential of another token', async () => {
    assert.equal(await identifyCaller(access(live).deps, OTHER), undefined);
  });

  for (const text of [
    '',
    'x',
    `${TOKEN}x`,
    TOKEN.slice(1),
    TOKEN.replace('rap_', 'RAP_'),
    `${TOKEN}\n`,
  ]) {
    it(`never asks the store for ${JSON.stringify(text)}, which is no token`, async () => {
      const { deps, asked } = access(live);
      assert.equal(await identifyCaller(deps, text), undefined);
      assert.deepEqual(asked, []);
    });
  }

  it('refuses a revoked token', async () => {
    assert.equal(await identifyCaller(access({ ...live, revoked: true }).deps, TOKEN), undefined);
  });

  it('refuses a token of a disabled account', async () => {
    assert.equal(await identifyCaller(access({ ...live, disabled: true }).deps, TOKEN), undefined);
  });

  it('refuses a token from the moment at which it expires', async () => {
    const { deps } = access({ ...live, expiresAt: new Date('2026-08-26T10:00:01Z') });
    assert.equal(await identifyCaller(deps, TOKEN), alice);
    deps.clock.advance(1000);
    assert.equal(await identifyCaller(deps, TOKEN), undefined);
  });
});
