import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readConfig } from '../config.ts';
import { formatToken, TOKEN_RANDOM_BYTES } from '../domain/accounts/token.ts';
import { signInWithLink } from '../operations/accounts/sign-in.ts';
import { adminTokenFile, createFirstAdmin } from './first-admin.ts';
import { openDependencies } from './open-dependencies.ts';

describe('the token of the first account', () => {
  it('leaves no temporary file behind if it cannot be stored', async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'rapsheet-first-admin-'));
    test.after(() => rmSync(folder, { recursive: true }));
    const config = readConfig({ RAPSHEET_DATA_DIR: folder });
    const deps = await openDependencies(config);
    test.after(() => deps.store.close());
    // A folder is where the file belongs.
    mkdirSync(adminTokenFile(config));
    await assert.rejects(createFirstAdmin(config, deps), { code: 'EISDIR' });
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('admin-token.')),
      [],
    );
  });
});

describe('the first account', () => {
  for (const adminToken of [undefined, formatToken(Buffer.alloc(TOKEN_RANDOM_BYTES, 7))])
    it(`gets a sign-in link, with ${adminToken ? 'a token of the settings' : 'a new token'}`, async (test) => {
      const folder = mkdtempSync(join(tmpdir(), 'rapsheet-first-admin-'));
      test.after(() => rmSync(folder, { recursive: true }));
      const config = readConfig({
        RAPSHEET_DATA_DIR: folder,
        RAPSHEET_BASE_URL: 'https://abuse.example',
        RAPSHEET_ADMIN_TOKEN: adminToken,
      });
      const deps = await openDependencies(config);
      test.after(() => deps.store.close());
      const first = await createFirstAdmin(config, deps);
      assert.equal(first?.newToken === undefined, adminToken !== undefined);
      const link = new URL((await first?.createLink()) ?? '');
      assert.equal(`${link.origin}${link.pathname}`, 'https://abuse.example/welcome');
      const signedIn = await signInWithLink(deps, link.hash.slice(1));
      assert.equal(signedIn?.caller.name, 'admin');
      assert.equal(await createFirstAdmin(config, deps), undefined, 'only once');
    });
});
