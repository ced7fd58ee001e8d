import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

function add(name: string) {
  return rig.ask('POST', '/admin/accounts', { token: rig.admin, body: { name } });
}

describe('the name of a new account', () => {
  for (const [what, name] of [
    ['in other case', 'ADMIN'],
    ['in one letter of other case', 'Admin'],
    ['of wide letters', 'ａｄｍｉｎ'],
    ['of mathematical letters', '𝐚𝐝𝐦𝐢𝐧'],
    ['with a digit that looks like a letter', 'adm1n'],
    ['with a dotless letter', 'admın'],
  ] as const)
    it(`is refused if it is that of another account ${what}`, async () => {
      const { status, code, json } = await add(name);
      assert.deepEqual([status, code], [409, 'account_exists']);
      assert.match(String(json['error']), /"admin"/);
    });

  it('is refused if its letters come from several scripts', async () => {
    for (const name of ['аdmin', 'pаypal', 'αdmin', 'adΜin', 'аδ', 'admiո']) {
      const { status, code, json } = await add(name);
      assert.deepEqual([status, code], [400, 'invalid_body'], name);
      assert.match(String(json['error']), /one script/);
    }
  });

  it('is refused if letters of another script spell that of another account', async () => {
    assert.equal((await add('cope')).status, 201);
    assert.equal((await add('соре')).code, 'account_exists');
    assert.equal((await add('ΤΟΚΙΟ')).status, 201);
    assert.equal((await add('tokio')).code, 'account_exists');
  });

  it('is accepted in any one script, and next to East Asian ones', async () => {
    for (const name of ['Ольга', 'Νίκος', '研究者 A', 'Zoë', 'آوا', 'team 7 – desk'])
      assert.equal((await add(name)).status, 201, name);
  });

  it('goes to one of two that are added at once', async () => {
    const names = ['Ply-Desk', 'ply-desk', 'PLY-DESK', 'рlу-dеѕk'.normalize()];
    const answers = await Promise.all(names.map(add));
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  });
});
