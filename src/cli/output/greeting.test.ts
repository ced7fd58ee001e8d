import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readConfig } from '../../config.ts';
import type { NewAdminToken } from '../../server/first-admin.ts';
import { greeting } from './greeting.ts';

describe('the greeting', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-greeting-'));
  after(() => rmSync(folder, { recursive: true }));
  const config = readConfig({ RAPSHEET_DATA_DIR: folder });
  const greet = (newAdminToken?: NewAdminToken, isTerminal = true) =>
    greeting({ url: 'http://127.0.0.1:1', newAdminToken }, config, { isTerminal });

  it('names the file of the first token only if it exists', () => {
    assert.doesNotMatch(greet(), /admin-token/);
    assert.match(greet(), /ADMIN=\$\(rapsheet token issue admin\)/);
    assert.match(greet(), /Authorization: \$ADMIN"/);
    const file = join(folder, 'admin-token');
    writeFileSync(file, '');
    assert.ok(greet().includes(`is in ${file}, which the first start created`));
    assert.ok(greet().includes(`Authorization: $(cat ${file})`));
  });

  it('shows the first token on a terminal only, else the file that contains it', () => {
    const file = join(folder, 'admin-token');
    writeFileSync(file, '');
    const created = { token: 'rap_the-first-token', file };
    assert.ok(greet(created).includes(created.token));
    assert.ok(!greet(created, false).includes(created.token));
    assert.ok(greet(created, false).includes(`is in ${file}`));
  });
});
