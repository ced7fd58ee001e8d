import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readConfig } from '../config.ts';
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
