import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readConfig } from '../../config.ts';
import { type FirstSecrets, greeting } from './greeting.ts';

const FIRST = { link: 'http://127.0.0.1:1/welcome#ral_secret' };

describe('the greeting', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-greeting-'));
  after(() => rmSync(folder, { recursive: true }));
  const config = readConfig({ RAPSHEET_DATA_DIR: folder });
  const greet = (secrets: FirstSecrets = {}) => greeting('http://127.0.0.1:1', config, secrets);

  it('has calls to paste only at the first start: they create what a later one finds', () => {
    assert.match(greet(FIRST), /curl/);
    assert.doesNotMatch(greet(), /curl/);
  });

  it('names the file of the first token only if it exists', () => {
    assert.doesNotMatch(greet(), /admin-token/);
    assert.match(greet(), /ADMIN=\$\(rapsheet token issue admin\)/);
    assert.match(greet(FIRST), /Authorization: \$ADMIN"/);
    const file = join(folder, 'admin-token');
    writeFileSync(file, '');
    assert.ok(greet().includes(`is in ${file}, which the first start created`));
    assert.ok(greet(FIRST).includes(`Authorization: $(cat ${file})`));
  });

  it('shows the first token, or else the file that contains it', () => {
    const file = join(folder, 'admin-token');
    writeFileSync(file, '');
    const created = { token: 'rap_the-first-token', file };
    assert.ok(greet({ newAdminToken: created }).includes(created.token));
    assert.ok(greet().includes(`is in ${file}`));
  });

  it('shows the sign-in link, or else the command that creates one', () => {
    const { link } = FIRST;
    assert.ok(greet({ link }).includes(`\n  ${link}\n`));
    assert.doesNotMatch(greet({ link }), /account link/);
    assert.match(greet(), /\n {2}rapsheet account link admin\n/);
  });
});
