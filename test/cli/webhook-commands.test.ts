import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { TestInstallation } from '../installation.ts';
import { line, owner, parseLines, type Settings } from './feed-setup.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly type: string };
}

/** An endpoint that records the requests it receives. */
class Receiver {
  readonly #server = createServer(async (request, response) => {
    const body = (await readJson(request)) as Received['body'];
    response.writeHead(204).end();
    this.#received.push({ headers: request.headers, body });
    this.#server.emit('received');
  });
  readonly #received: Received[] = [];

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  async next(): Promise<Received> {
    for (;;) {
      const first = this.#received.shift();
      if (first !== undefined) return first;
      await once(this.#server, 'received');
    }
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

describe('the webhook commands', () => {
  const installation = new TestInstallation();
  const receiver = new Receiver();
  let target: string;
  let settings: Settings;
  let hook: string;
  const run = (...words: string[]) => installation.run(words, { settings });
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await run(...words, '--json');
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };

  before(async () => {
    target = await receiver.listen();
    const { url } = await installation.server({
      RAPSHEET_WEBHOOK_ALLOW_HTTP: '1',
      RAPSHEET_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    });
    settings = await owner(installation, url, 'alice', 'ply');
    const { webhook, secret } = await json(
      'webhook',
      'add',
      'ply',
      target,
      '--event',
      'report.created',
    );
    assert.match(secret, /^whsec_/);
    hook = webhook.id;
  });
  after(async () => {
    receiver.close();
    await installation.close();
  });

  it('add a webhook, and print only its secret, once', async () => {
    const { code, stdout, stderr } = await run(
      'webhook',
      'add',
      'ply',
      target,
      '--format',
      'cloudevents',
    );
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^whsec_\S+\n$/);
    const [id = ''] = /[0-9a-f-]{36}/.exec(stderr) ?? [];
    const { webhooks } = await json('webhook', 'list', 'ply');
    const added = webhooks.find((webhook: { id: string }) => webhook.id === id);
    assert.equal(added.format, 'cloudevents');
    assert.ok(!JSON.stringify(webhooks).includes('whsec_'));

    assert.match((await run('webhook', 'remove', 'ply', id)).stdout, /^Webhook .* was deleted\.$/m);
    assert.equal((await run('webhook', 'remove', 'ply', id)).code, 3);
  });

  it('list webhooks with their states', async () => {
    const { stdout } = await run('webhook', 'list', 'ply');
    assert.match(stdout, /^ID +FEED +URL +EVENTS +FORMAT +STATE +SINCE +OWNER\n/);
    assert.match(stdout, /\/hook +report\.created +standard +enabled +\S+ +alice$/m);
    const enabled = await json('webhook', 'set', 'ply', hook, '--enable');
    assert.equal(enabled.webhook.disabledAt, null);
  });

  it('list and change the webhooks of all feeds for an administrator', async () => {
    const { token } = await installation.json('account', 'add', 'operator', '--admin');
    const admin = { ...settings, RAPSHEET_TOKEN: token };
    const asAdmin = (...words: string[]) => installation.run(words, { settings: admin });
    const all = await asAdmin('webhook', 'list', '--all', '--account', 'alice');
    assert.match(all.stdout, new RegExp(`^${hook} +ply +.* +enabled +\\S+ +alice$`, 'm'));
    assert.equal((await run('webhook', 'list', '--all')).code, 4);
    assert.equal((await asAdmin('webhook', 'list', 'ply', '--all')).code, 2);

    const disabled = await asAdmin('webhook', 'set', hook, '--disable');
    assert.match(disabled.stdout, /disabled: An administrator, .+, disabled it\./);
    assert.match(
      (await run('webhook', 'set', 'ply', hook, '--enable')).stderr,
      /only an administrator can enable it/,
    );
    const enabled = await asAdmin('webhook', 'set', hook, '--enable', '--owner', 'alice');
    assert.match(enabled.stdout, / enabled +\S+ +alice$/m);
    assert.equal((await asAdmin('webhook', 'set', hook)).code, 2);
    assert.equal((await asAdmin('webhook', 'set', 'ply', hook, '--disable')).code, 2);
  });

  it('send a test delivery, and print its outcome', async () => {
    const delivery = (await run('delivery', 'test', 'ply', hook)).stdout.trim();
    const { headers, body } = await receiver.next();
    assert.equal(headers['webhook-id'], delivery);
    assert.equal(body.type, 'webhook.test');
    const { deliveries } = await json('delivery', 'list', 'ply', hook);
    assert.equal(deliveries[0].id, delivery);
    assert.equal(deliveries[0].event, 'webhook.test');
  });

  it('deliver a change, and redeliver it with the same id', async () => {
    const input = line('a');
    const made = await installation.run(['report', 'add', 'ply', '-'], { input, settings });
    assert.equal(made.code, 0, made.stderr);
    const { headers, body } = await receiver.next();
    assert.equal(body.type, 'report.created');
    const id = String(headers['webhook-id']);
    const { code, stdout, stderr } = await run('delivery', 'replay', 'ply', hook, id);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, `Delivery ${id} is queued again.\n`);
    assert.equal((await receiver.next()).headers['webhook-id'], id);
    const table = await run('delivery', 'list', 'ply', hook, '--limit', '1');
    assert.match(table.stdout, new RegExp(`^\\S+ +${id} +\\w+ +report\\.created +1 `, 'm'));
    assert.match(table.stderr, new RegExp(`continue with --before ${id}\\.`));
    const rest = await run('delivery', 'list', 'ply', hook, '--before', id, '--ndjson');
    assert.deepEqual(
      parseLines(rest.stdout).map(({ event }) => event),
      ['webhook.test'],
    );
    const dead = await run('delivery', 'list', 'ply', hook, '--state', 'dead');
    assert.equal(dead.stderr, 'No entries.\n');
  });

  it('rotate a secret, and print only the new one on standard output', async () => {
    const { stdout, stderr } = await run('webhook', 'rotate', 'ply', hook);
    assert.match(stdout, /^whsec_\S+\n$/);
    assert.match(stderr, /^The old secret also signs until \d{4}-\d\d-\d\dT/);
  });

  it("are only for owners of the feed, and print the server's message for an error", async () => {
    await installation.json('service', 'add', 'tun');
    assert.equal((await run('webhook', 'list', 'tun')).code, 4);
    const { code, stderr } = await run('webhook', 'add', 'ply', 'ftp://desk.ply.example/');
    assert.equal(code, 1);
    assert.match(stderr, /^rapsheet webhook add: /);
    const odd = await run('webhook', 'add', 'ply', target, '--format', 'odd');
    assert.match(odd.stderr, /--format must be standard, report or cloudevents/);
  });
});
