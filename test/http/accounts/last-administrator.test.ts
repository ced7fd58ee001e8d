import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { MINUTE_MS } from '../../../src/domain/duration.ts';
import { ownRig, type Rig } from '../http-rig.ts';

const PAST = '2020-01-01T00:00:00Z';
/** Every change after which an account does not administer. */
const ENDINGS = [
  { disabled: true },
  { roles: ['researcher'] },
  { roles: [] },
  { expiresAt: PAST },
] as const;

function change(rig: Rig, account: string, body: unknown, token = rig.admin) {
  return rig.ask('PATCH', `/admin/accounts/${account}`, { token, body });
}

async function rigWithSecond(test: TestContext) {
  const rig = await ownRig(test);
  return { rig, second: await rig.account({ roles: ['admin', 'researcher'] }) };
}

describe('an administrator', () => {
  it('cannot give up the role, alone or beside others', async (test) => {
    const { rig, second } = await rigWithSecond(test);
    for (const [account, token] of [
      ['admin', rig.admin],
      [second.id, second.token],
      [second.name, second.token],
    ] as const)
      for (const body of ENDINGS) {
        const answer = await change(rig, account, body, token);
        assert.deepEqual([answer.status, answer.code], [409, 'own_account'], answer.text);
        assert.match(String(answer.json['error']), /rapsheet account set/);
      }
    assert.equal((await rig.ask('GET', '/admin/accounts', { token: rig.admin })).status, 200);
  });

  it('may change their account otherwise', async (test) => {
    const { rig } = await rigWithSecond(test);
    for (const body of [
      { roles: ['admin', 'researcher'] },
      { expiresAt: '2030-01-01T00:00:00Z' },
      { disabled: false },
      { topUp: 3 },
    ])
      assert.equal((await change(rig, 'admin', body)).status, 200);
  });

  it('may end the administration of another one, while one is left', async (test) => {
    const { rig, second } = await rigWithSecond(test);
    for (const body of [...ENDINGS, { roles: ['admin'], disabled: false, expiresAt: null }])
      assert.equal((await change(rig, second.id, body)).status, 200);
  });

  it('is left over when two end each other at once', async (test) => {
    for (const [one, other] of [
      [{ disabled: true }, { disabled: true }],
      [{ roles: [] }, { expiresAt: PAST }],
    ]) {
      const { rig, second } = await rigWithSecond(test);
      const answers = await Promise.all([
        change(rig, second.id, one),
        change(rig, 'admin', other, second.token),
      ]);
      assert.deepEqual(
        answers.map(({ status }) => status === 200).sort(),
        [false, true],
        answers.map(({ text }) => text).join(),
      );
    }
  });
});

describe('the last administrator', () => {
  it('is not the last beside one with other roles, in any order', async (test) => {
    for (const roles of [
      ['notices', 'admin'],
      ['admin', 'notices', 'researcher'],
      ['researcher', 'notices', 'admin'],
    ] as const) {
      const rig = await ownRig(test);
      assert.equal((await change(rig, 'admin', { disabled: true })).code, 'last_administrator');
      await rig.account({ roles });
      assert.equal((await change(rig, 'admin', { disabled: true })).code, 'own_account');
    }
  });

  it('does not count one who is disabled or has expired', async (test) => {
    const { rig, second } = await rigWithSecond(test);
    const soon = new Date(rig.clock.now().getTime() + MINUTE_MS);
    const third = await rig.account({ roles: ['admin'], expiresAt: soon });
    assert.equal((await change(rig, 'admin', { disabled: true }, third.token)).status, 200);
    const answer = () => change(rig, second.id, { disabled: true }, third.token);
    // The third administrator is the one who is left, until then.
    rig.clock.advance(2 * MINUTE_MS);
    assert.equal((await answer()).status, 401);
    const last = await change(rig, second.id, { disabled: true }, second.token);
    assert.deepEqual([last.status, last.code], [409, 'last_administrator']);
    assert.match(String(last.json['error']), /rapsheet account set .* --enable/);
  });
});
