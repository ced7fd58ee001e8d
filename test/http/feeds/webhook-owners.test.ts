import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { DeliveryRunner } from '../../../src/jobs/deliver-webhooks.ts';
import { newDeliveryRunner } from '../../outgoing/delivery-rig.ts';
import { LOOPBACK, openReceiver } from '../../outgoing/receiver.ts';
import type { Answer } from '../contract.ts';
import { openRig, type Rig, type TestAccount } from '../http-rig.ts';

const DAY_MS = 86_400_000;
const URL_GIVEN = 'https://desk.example.invalid/hook';

interface WireWebhook {
  readonly id: string;
  readonly service: string;
  readonly owner: string | null;
  readonly suspendedReason: string | null;
  readonly disabledAt: string | null;
  readonly disabledReason: string | null;
}

const webhookOf = ({ json }: Answer) => json['webhook'] as WireWebhook;

describe('a webhook and its owner', () => {
  let rig: Rig;
  let runner: DeliveryRunner;
  before(async () => {
    rig = await openRig({ outgoing: LOOPBACK });
    runner = newDeliveryRunner(rig.deps);
  });
  after(async () => {
    await runner.stop(0);
    await rig.close();
  });

  const change = (account: TestAccount, body: unknown) =>
    rig.ask('PATCH', `/admin/accounts/${account.id}`, { token: rig.admin, body });

  const administer = (id: string, body: unknown, token = rig.admin) =>
    rig.ask('PATCH', `/admin/webhooks/${id}`, { token, body });

  const listAll = async (query: string) => {
    const answer = await rig.ask('GET', `/admin/webhooks${query}`, { token: rig.admin });
    assert.equal(answer.status, 200, answer.text);
    const webhooks = answer.json['webhooks'] as readonly WireWebhook[];
    return { ids: webhooks.map(({ id }) => id), hasMore: answer.json['hasMore'] };
  };

  async function send(): Promise<void> {
    runner.wake();
    await runner.idle();
  }

  /** A feed with a permanent owner, and a webhook of an owner who may lose the feed. */
  async function feedWithWebhook(test: TestContext) {
    const receiver = await openReceiver(test);
    const service = await rig.service();
    const [owner, colleague] = [await rig.owner(service), await rig.owner(service)];
    const path = `/feed/${service}/webhooks`;
    const body = { url: receiver.url() };
    const { id } = webhookOf(await rig.ask('POST', path, { token: owner.token, body }));
    const { token } = await rig.researcher();
    const report = () => rig.report(service, token);
    const ask = (method: string, rest = '') =>
      rig.ask(method, `${path}/${id}${rest}`, { token: colleague.token });
    return { receiver, service, owner, colleague, id, report, ask };
  }

  for (const [what, end, give, reason] of [
    [
      'is disabled',
      () => ({ disabled: true }),
      () => ({ disabled: false }),
      /its owner, .+, is disabled/,
    ],
    [
      'has expired',
      () => ({ expiresAt: rig.clock.now().toISOString() }),
      () => ({ expiresAt: null }),
      /has expired/,
    ],
    [
      'lost the feed',
      () => ({ services: [] }),
      (service: string) => ({ services: [service] }),
      /no longer owns this feed/,
    ],
  ] as const) {
    it(`is suspended when the account ${what}, and resumes without losing deliveries`, async (test) => {
      const { receiver, service, owner, report, ask } = await feedWithWebhook(test);
      await report();
      await send();
      assert.equal(receiver.received.length, 1);

      await change(owner, end());
      await report();
      await report();
      await send();
      assert.equal(receiver.received.length, 1, 'nothing is sent');
      assert.match(webhookOf(await ask('GET')).suspendedReason ?? '', reason);
      const tried = await ask('POST', '/test');
      assert.deepEqual([tried.status, tried.code], [409, 'webhook_suspended']);

      await change(owner, give(service));
      await send();
      assert.equal(receiver.received.length, 3, 'all that waited is sent');
      assert.equal(webhookOf(await ask('GET')).suspendedReason, null);
    });
  }

  it('that stays suspended keeps pending deliveries for 30 days and no longer', async (test) => {
    const { owner, id, service, report } = await feedWithWebhook(test);
    await change(owner, { disabled: true });
    await report();
    const webhookKey = { service, id };
    const page = { limit: 10, before: undefined, state: undefined };
    const waiting = async () => (await rig.deps.store.webhooks.deliveries(webhookKey, page)).length;
    const forget = (days: number) => {
      const now = new Date(rig.clock.now().getTime() + days * DAY_MS);
      const deadBefore = new Date(now.getTime() - 30 * DAY_MS);
      const over = { now, deliveredBefore: deadBefore, deadBefore, limit: 100, keyId: '' };
      return rig.deps.store.webhooks.deleteOldDeliveries(over);
    };
    await forget(29);
    assert.equal(await waiting(), 1);
    await forget(31);
    assert.equal(await waiting(), 0);
  });

  it('is handed over by an administrator, and delivers again at once', async (test) => {
    const { receiver, owner, colleague, id, report, ask } = await feedWithWebhook(test);
    await change(owner, { services: [] });
    await report();
    const stranger = await rig.reader();
    const refused = await administer(id, { owner: stranger.name });
    assert.deepEqual([refused.status, refused.code], [400, 'invalid_body']);
    assert.equal((await administer(id, { owner: 'nobody-at-all' })).code, 'unknown_account');
    const answer = await administer(id, { owner: colleague.id });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(webhookOf(answer).owner, colleague.name);
    assert.equal(webhookOf(answer).suspendedReason, null);
    await send();
    assert.equal(receiver.received.length, 1);
    const [entry] = await rig.audit();
    assert.partialDeepStrictEqual(entry, {
      actor: 'admin',
      action: 'webhook.change',
      subject: id,
      detail: { owner: colleague.name },
    });
    assert.equal(webhookOf(await ask('GET')).owner, colleague.name);
  });

  it('cannot be enabled by its owner if an administrator disabled it', async (test) => {
    const { receiver, id, report, ask } = await feedWithWebhook(test);
    const disabled = webhookOf(await administer(id, { disabled: true }));
    assert.match(disabled.disabledReason ?? '', /administrator, admin, disabled/);
    await report();
    await send();
    assert.equal(receiver.received.length, 0);
    const refused = await ask('POST', '/enable');
    assert.deepEqual([refused.status, refused.code], [403, 'webhook_blocked']);
    assert.equal(webhookOf(await administer(id, { disabled: false })).disabledAt, null);
    await report();
    await send();
    assert.equal(receiver.received.length, 1);
  });

  it('are listed over all feeds for administrators, page by page', async () => {
    const [one, other] = [await rig.service(), await rig.service()];
    const owner = await rig.account({ services: [one, other] });
    const colleague = await rig.owner(one);
    const add = async (service: string, { token }: TestAccount) => {
      // Ids are ordered by the clock.
      rig.clock.advance(1);
      return webhookOf(
        await rig.ask('POST', `/feed/${service}/webhooks`, { token, body: { url: URL_GIVEN } }),
      ).id;
    };
    const ids = [await add(one, owner), await add(other, owner), await add(one, colleague)];
    const [first = '', second = '', third = ''] = ids;
    assert.deepEqual(await listAll(`?account=${owner.name}`), {
      ids: [first, second],
      hasMore: false,
    });
    assert.deepEqual(await listAll(`?account=${owner.id}&limit=1`), {
      ids: [first],
      hasMore: true,
    });
    assert.deepEqual(await listAll(`?account=${owner.id}&limit=1&after=${first}`), {
      ids: [second],
      hasMore: false,
    });
    assert.deepEqual(await listAll(`?service=${one}`), { ids: [first, third], hasMore: false });
    assert.deepEqual(await listAll(`?service=${one}&account=${colleague.name}`), {
      ids: [third],
      hasMore: false,
    });
    const everything = await listAll('?limit=1000');
    for (const id of ids) assert.ok(everything.ids.includes(id));
  });

  it('is administered only by administrators', async (test) => {
    const { owner, id } = await feedWithWebhook(test);
    const listed = await rig.ask('GET', '/admin/webhooks', { token: owner.token });
    assert.equal(listed.code, 'role_missing');
    assert.equal((await administer(id, { disabled: true }, owner.token)).code, 'role_missing');
    assert.equal((await administer(id, {})).code, 'invalid_body');
    const nobody = '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80';
    assert.equal((await administer(nobody, { disabled: true })).code, 'unknown_webhook');
  });
});
