import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MAX_WEBHOOKS } from '../../../src/domain/webhooks/webhook.ts';
import type { DeliveryRunner } from '../../../src/jobs/deliver-webhooks.ts';
import { newDeliveryRunner } from '../../outgoing/delivery-rig.ts';
import { answerWith, LOOPBACK, openReceiver } from '../../outgoing/receiver.ts';
import type { Answer } from '../contract.ts';
import { openRig, ownRig, type Rig, type TestAccount } from '../http-rig.ts';

const URL_GIVEN = 'https://desk.example.invalid/hooks/a-path-for-us-alone';
const NOBODY = '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80';

interface WireWebhook {
  readonly id: string;
  readonly [member: string]: unknown;
}

const webhookOf = ({ json }: Answer) => json['webhook'] as WireWebhook;
const secretOf = ({ json }: Answer) => json['secret'] as string;

function pathOf(service: string, ...rest: readonly string[]): string {
  return ['/feed', service, 'webhooks', ...rest].join('/');
}

/** A feed and its owner. */
async function ownedFeed(rig: Rig): Promise<{ service: string; owner: TestAccount }> {
  const service = await rig.service();
  return { service, owner: await rig.account({ services: [service] }) };
}

async function added(rig: Rig, service: string, token: string, url = URL_GIVEN): Promise<Answer> {
  const answer = await rig.ask('POST', pathOf(service), { token, body: { url } });
  assert.equal(answer.status, 201, answer.text);
  return answer;
}

describe('webhooks of a feed', () => {
  let rig: Rig;
  before(async () => {
    rig = await openRig();
  });
  after(() => rig.close());

  it('are added with all events in the standard form, and the secret is shown once', async () => {
    const { service, owner } = await ownedFeed(rig);
    const answer = await added(rig, service, owner.token);
    assert.match(secretOf(answer), /^whsec_[A-Za-z0-9+/]{43}=$/);
    const webhook = webhookOf(answer);
    assert.deepEqual(webhook, {
      id: webhook.id,
      service,
      url: URL_GIVEN,
      events: ['report.created', 'report.updated', 'report.deleted'],
      format: 'standard',
      createdBy: owner.name,
      createdAt: '2026-08-26T10:00:00Z',
      owner: owner.name,
      suspendedReason: null,
      disabledAt: null,
      disabledReason: null,
      failingSince: null,
    });
    const { token } = owner;
    const shown = await rig.ask('GET', pathOf(service, webhook.id), { token });
    const listed = await rig.ask('GET', pathOf(service), { token });
    assert.deepEqual(shown.json, { webhook, successful: true });
    assert.deepEqual(listed.json, { webhooks: [webhook], successful: true });
  });

  it('take a selection of events and a format', async () => {
    const { service, owner } = await ownedFeed(rig);
    const body = {
      url: URL_GIVEN,
      events: ['report.deleted', 'report.created', 'report.created'],
      format: 'cloudevents',
    };
    const answer = await rig.ask('POST', pathOf(service), { token: owner.token, body });
    const { events, format } = webhookOf(answer);
    assert.deepEqual([events, format], [['report.created', 'report.deleted'], 'cloudevents']);
  });

  it('are only for owners of that feed, with any other role', async () => {
    const { service, owner } = await ownedFeed(rig);
    const other = await ownedFeed(rig);
    const { id } = webhookOf(await added(rig, service, owner.token));
    const researcher = await rig.researcher();
    const calls: readonly [method: string, path: string][] = [
      ['POST', pathOf(service)],
      ['GET', pathOf(service)],
      ['GET', pathOf(service, id)],
      ['DELETE', pathOf(service, id)],
      ['POST', pathOf(service, id, 'rotate')],
      ['POST', pathOf(service, id, 'test')],
      ['POST', pathOf(service, id, 'enable')],
      ['GET', pathOf(service, id, 'deliveries')],
      ['POST', pathOf(service, id, 'deliveries', NOBODY, 'replay')],
    ];
    for (const [method, path] of calls) {
      assert.equal((await rig.ask(method, path)).code, 'token_missing', path);
      for (const token of [rig.admin, researcher.token, other.owner.token]) {
        const answer = await rig.ask(method, path, { token });
        assert.deepEqual([answer.status, answer.code], [403, 'not_owner'], `${method} ${path}`);
      }
      const elsewhere = path.replace(`/${service}/`, '/nowhere/');
      const answer = await rig.ask(method, elsewhere, { token: owner.token });
      assert.equal(answer.code, 'unknown_service');
    }
    assert.equal((await rig.ask('GET', pathOf(service, id), { token: owner.token })).status, 200);
  });

  it('are not found through another feed, nor after they were deleted', async () => {
    const { service, owner } = await ownedFeed(rig);
    const other = await ownedFeed(rig);
    const { id } = webhookOf(await added(rig, service, owner.token));
    const { token } = owner;
    const through = await rig.ask('DELETE', pathOf(other.service, id), other.owner);
    assert.deepEqual([through.status, through.code], [404, 'unknown_webhook']);
    assert.equal((await rig.ask('DELETE', pathOf(service, id), { token })).status, 200);
    for (const [method, ...rest] of [
      ['GET'],
      ['DELETE'],
      ['POST', 'rotate'],
      ['POST', 'test'],
      ['POST', 'enable'],
      ['GET', 'deliveries'],
      ['POST', 'deliveries', NOBODY, 'replay'],
    ] as const) {
      const answer = await rig.ask(method, pathOf(service, id, ...rest), { token });
      assert.deepEqual([answer.status, answer.code], [404, 'unknown_webhook'], rest.join('/'));
    }
    const listed = await rig.ask('GET', pathOf(service), { token });
    assert.deepEqual(listed.json['webhooks'], []);
  });

  it('are limited in number', async () => {
    const { service, owner } = await ownedFeed(rig);
    const { token } = owner;
    const answers = await Promise.all(
      Array.from({ length: MAX_WEBHOOKS + 2 }, () =>
        rig.ask('POST', pathOf(service), { token, body: { url: URL_GIVEN } }),
      ),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    assert.deepEqual(
      refused.map(({ status, code }) => [status, code]),
      [
        [409, 'too_many_webhooks'],
        [409, 'too_many_webhooks'],
      ],
    );
    const first = answers.find(({ status }) => status === 201);
    assert.ok(first);
    await rig.ask('DELETE', pathOf(service, webhookOf(first).id), { token });
    await added(rig, service, token);
  });

  it('have a URL that the server may connect to', async () => {
    const { service, owner } = await ownedFeed(rig);
    for (const [url, why] of [
      ['http://desk.example.invalid/', /url must be an https URL/],
      ['https://user:secret@desk.example.invalid/', /url must not contain a user name/],
      ['https://0x7f000001/', /url must not name a private or reserved address/],
      ['https://[::ffff:169.254.169.254]/', /private or reserved/],
      ['https://desk.example.invalid:25/', /url must have the port 443/],
      ['https://localhost/hook', /url must not name this machine/],
      ['https://a.localhost/hook', /url must not name this machine/],
      ['https://desk.example.invalid/\r\nx', /url must not contain spaces, line ends/],
      ['https://desk.example.invalid/hook\n', /url must not contain spaces, line ends/],
      ['nonsense', /url must be an https URL/],
    ] as const) {
      const answer = await rig.ask('POST', pathOf(service), { token: owner.token, body: { url } });
      assert.deepEqual([answer.status, answer.code], [400, 'invalid_body'], url);
      assert.match(String(answer.json['error']), why);
    }
  });

  it('report all invalid members at once', async () => {
    const { service, owner } = await ownedFeed(rig);
    const { token } = owner;
    const body = { events: [], format: 'xml', secret: 'mine' };
    const answer = await rig.ask('POST', pathOf(service), { token, body });
    assert.equal(answer.code, 'invalid_body');
    for (const name of ['url', 'events', 'format', 'secret'])
      assert.match(String(answer.json['error']), new RegExp(`\\b${name}\\b`));
    const { id } = webhookOf(await added(rig, service, token));
    for (const query of [
      'limit=0',
      'limit=1001',
      'limit=x',
      'state=lost',
      'before=1',
      'limit=-1',
    ]) {
      const path = `${pathOf(service, id, 'deliveries')}?${query}`;
      assert.equal((await rig.ask('GET', path, { token })).code, 'invalid_query', query);
    }
    const malformed = await rig.ask('GET', pathOf(service, 'x'), { token });
    assert.equal(malformed.code, 'invalid_query');
  });

  it('get a new secret, and state how long the old one is valid', async () => {
    const { service, owner } = await ownedFeed(rig);
    const first = await added(rig, service, owner.token);
    const path = pathOf(service, webhookOf(first).id, 'rotate');
    const answer = await rig.ask('POST', path, { token: owner.token });
    assert.equal(answer.status, 200);
    assert.notEqual(secretOf(answer), secretOf(first));
    assert.equal(answer.json['oldValidUntil'], '2026-08-27T10:00:00Z');
  });

  it('record every change in the audit log, without the secret and the path of the URL', async () => {
    const { service, owner } = await ownedFeed(rig);
    const first = await added(rig, service, owner.token);
    const { id } = webhookOf(first);
    const { token } = owner;
    await rig.ask('POST', pathOf(service, id, 'rotate'), { token });
    await rig.ask('POST', pathOf(service, id, 'enable'), { token });
    await rig.ask('DELETE', pathOf(service, id), { token });
    const entries = (await rig.audit()).filter(({ subject }) => subject === id);
    const acts = entries.map(({ action, actor }) => [action, actor]);
    assert.deepEqual(acts.reverse(), [
      ['webhook.add', owner.name],
      ['webhook.rotate', owner.name],
      ['webhook.enable', owner.name],
      ['webhook.remove', owner.name],
    ]);
    assert.doesNotMatch(JSON.stringify(entries), /whsec_|a-path-for-us-alone/);
  });
});

describe('deliveries of a webhook', () => {
  async function openWebhookRig(test: Parameters<typeof ownRig>[0]) {
    let runner: DeliveryRunner | undefined;
    const rig = await ownRig(test, { outgoing: LOOPBACK, wakeDeliveries: () => runner?.wake() });
    const running = newDeliveryRunner(rig.deps);
    runner = running;
    test.after(() => running.stop(0));
    const receiver = await openReceiver(test);
    const { service, owner } = await ownedFeed(rig);
    const { token } = owner;
    const { id } = webhookOf(await added(rig, service, token, receiver.url()));
    const ask = (method: string, ...rest: readonly string[]) =>
      rig.ask(method, pathOf(service, id, ...rest), { token });
    const deliveries = async (query = '') => {
      const answer = await ask('GET', `deliveries${query}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.json['deliveries'] as readonly Record<string, unknown>[];
    };
    const send = async () => {
      running.wake();
      await running.idle();
    };
    return { rig, receiver, service, id, ask, deliveries, send };
  }

  it('are logged, page by page, newest first, by state', async (test) => {
    const { rig, receiver, service, ask, deliveries, send } = await openWebhookRig(test);
    const { token } = await rig.researcher();
    await rig.report(service, token);
    await send();
    receiver.answer = answerWith(500);
    const c2Address = 'other.example:1';
    const reportId = await rig.report(service, token, { c2Address });
    await send();
    const [newest, oldest] = await deliveries();
    assert.deepEqual(newest, {
      id: newest?.['id'],
      event: 'report.created',
      sequence: 2,
      reportId,
      state: 'waiting',
      attempts: 1,
      nextAttemptAt: '2026-08-26T10:00:05Z',
      lastStatus: 500,
      lastError: 'The endpoint answered 500.',
      createdAt: '2026-08-26T10:00:00Z',
      finishedAt: null,
    });
    assert.partialDeepStrictEqual(oldest, { sequence: 1, state: 'delivered', lastStatus: 204 });
    const page = await ask('GET', 'deliveries?limit=1');
    assert.equal(page.json['hasMore'], true);
    assert.deepEqual(await deliveries(`?limit=1&before=${newest?.['id']}`), [oldest]);
    assert.deepEqual(await deliveries('?state=delivered'), [oldest]);
    assert.deepEqual(await deliveries('?state=dead'), []);
    assert.deepEqual(await deliveries(`?before=${NOBODY}`), []);
  });

  it('are redelivered on request, except unknown ones', async (test) => {
    const { rig, receiver, service, ask, deliveries, send } = await openWebhookRig(test);
    await rig.report(service, (await rig.researcher()).token);
    await send();
    const [delivery] = await deliveries();
    const id = String(delivery?.['id']);
    const answer = await ask('POST', 'deliveries', id, 'replay');
    assert.deepEqual([answer.status, answer.json], [202, { delivery: id, successful: true }]);
    await receiver.until(2);
    assert.deepEqual(
      receiver.received.map(({ headers }) => headers['webhook-id']),
      [id, id],
    );
    const unknown = await ask('POST', 'deliveries', NOBODY, 'replay');
    assert.deepEqual([unknown.status, unknown.code], [404, 'unknown_delivery']);
  });

  it('can be tested', async (test) => {
    const { receiver, id, service, ask, deliveries, send } = await openWebhookRig(test);
    const answer = await ask('POST', 'test');
    assert.equal(answer.status, 202);
    await receiver.until(1);
    await send();
    const [received] = receiver.received;
    assert.deepEqual(JSON.parse(received?.body ?? ''), {
      type: 'webhook.test',
      timestamp: '2026-08-26T10:00:00Z',
      sequence: 0,
      data: { id, service, test: true },
    });
    assert.equal(received?.headers['webhook-id'], answer.json['delivery']);
    assert.partialDeepStrictEqual((await deliveries())[0], {
      event: 'webhook.test',
      sequence: 0,
      reportId: null,
      state: 'delivered',
    });
  });

  it('are not made to a disabled webhook, until it is enabled', async (test) => {
    const { receiver, ask, send } = await openWebhookRig(test);
    receiver.answer = answerWith(410);
    const first = await ask('POST', 'test');
    await send();
    const disabled = webhookOf(await ask('GET'));
    assert.match(String(disabled['disabledReason']), /410/);
    for (const rest of [['test'], ['deliveries', String(first.json['delivery']), 'replay']]) {
      const answer = await ask('POST', ...rest);
      assert.deepEqual([answer.status, answer.code], [409, 'webhook_disabled']);
    }
    receiver.answer = answerWith(204);
    assert.equal(webhookOf(await ask('POST', 'enable'))['disabledAt'], null);
    assert.equal((await ask('POST', 'test')).status, 202);
    await receiver.until(2);
  });

  it('stay below 20 kB with the largest possible report', async (test) => {
    const { rig, receiver, service, send } = await openWebhookRig(test);
    const wide = '\u{1F600}';
    await rig.report(service, (await rig.researcher()).token, {
      tags: Array.from(
        { length: 32 },
        (_, index) => wide.repeat(62) + String(index).padStart(2, '0'),
      ),
      c2Address: `${`${'a'.repeat(62)}.`.repeat(4).slice(0, -1)}:65535`,
      referenceLink: `https://example.invalid/${'\u4e2d'.repeat(2024)}`,
    });
    await send();
    const size = Buffer.byteLength(receiver.received[0]?.body ?? '');
    assert.ok(size > 10_000 && size < 20_000, `${size} bytes`);
  });
});
