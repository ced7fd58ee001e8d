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

  it('names the file of the first token only where it is', () => {
    assert.doesNotMatch(greet(), /admin-token/);
    assert.match(greet(), /ADMIN=\$\(rapsheet token issue admin\)/);
    assert.match(greet(), /Authorization: \$ADMIN"/);
    const file = join(folder, 'admin-token');
    writeFileSync(file, '');
    assert.ok(greet().includes(`is in ${file}, where the first start made it`));
    assert.ok(greet().includes(`Authorization: $(cat ${file})`));
  });

  it('shows the first token on a terminal, and elsewhere the file that holds it', () => {
    const file = join(folder, 'admin-token');
    writeFileSync(file, '');
    const made = { token: 'rap_the-first-token', file };
    assert.ok(greet(made).includes(made.token));
    assert.ok(!greet(made, false).includes(made.token));
    assert.ok(greet(made, false).includes(`is in ${file}`));
  });
});
