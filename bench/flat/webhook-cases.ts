import { setTimeout as pause } from 'node:timers/promises';
import { createBody } from '../requests.ts';
import type { FlatServer } from './client.ts';
import { type FlatCase, JSON_TYPE, json } from './flat-case.ts';

const post = { method: 'POST' };
const ALL = '/feed/ply/webhooks';
/** As many webhooks as a feed may have. */
const MOST = 20;
const POLL_MS = 20;
/** A row that no filled store has. */
const MAIL_ROW = 90_000_000;

interface Listed {
  readonly id: string;
}

async function listed(server: FlatServer): Promise<readonly Listed[]> {
  const { webhooks } = await server.json({ path: ALL });
  return webhooks as readonly Listed[];
}

async function removeAll(server: FlatServer): Promise<void> {
  for (const { id } of await listed(server))
    await server.send({ method: 'DELETE', path: `${ALL}/${id}` });
}

const addition = (server: FlatServer) => ({
  ...post,
  path: ALL,
  ...json({ url: server.sinkUrl, events: ['report.deleted'] }),
});

/** Leaves no webhook but `wanted` new ones; returns their ids. */
async function onlyNew(server: FlatServer, wanted: number): Promise<readonly string[]> {
  await removeAll(server);
  for (let done = 0; done < wanted; done += 1) await server.send(addition(server));
  return (await listed(server)).map(({ id }) => id);
}

/** One webhook for all calls of a round. */
async function one(server: FlatServer, calls: number): Promise<readonly string[]> {
  const [present] = await listed(server);
  const [id = ''] = present ? [present.id] : await onlyNew(server, 1);
  return Array.from({ length: calls }, () => id);
}

/** Returns `<webhook>/deliveries/<delivery>` of a delivered test for each call. */
async function delivered(server: FlatServer, calls: number): Promise<readonly string[]> {
  const [id = ''] = await onlyNew(server, 1);
  for (let done = 0; done < calls; done += 1)
    await server.send({ ...post, path: `${ALL}/${id}/test` });
  for (;;) {
    const path = `${ALL}/${id}/deliveries?state=delivered&limit=${calls}`;
    const { deliveries } = await server.json({ path });
    const found = deliveries as readonly Listed[];
    if (found.length === calls) return found.map((delivery) => `${id}/deliveries/${delivery.id}`);
    await pause(POLL_MS);
  }
}

const MAIL = '/feed/ply/mail';

/** Sets a mail address whose mail is never due while the benchmark runs, and queues one mail. */
async function mailed(server: FlatServer, calls: number): Promise<readonly string[]> {
  const mail = { to: 'abuse@ply.example', delivery: 'daily' };
  const { adminToken: token, count } = server;
  await server.send({ method: 'PATCH', path: '/admin/services/ply', token, ...json({ mail }) });
  const body = createBody(MAIL_ROW, count);
  await server.send({ ...post, path: '/feed/ply/api', type: JSON_TYPE, body });
  return Array.from({ length: calls }, () => '');
}

export const webhookCases: Readonly<Record<string, FlatCase>> = {
  listWebhooks: { prepare: one, call: () => ({ path: ALL }) },
  showWebhook: { prepare: one, call: ({ id }) => ({ path: `${ALL}/${id}` }) },
  listAllWebhooks: {
    prepare: one,
    call: ({ server }) => ({ path: '/admin/webhooks', token: server.adminToken }),
  },
  changeWebhook: {
    calls: 80,
    prepare: one,
    call: ({ server, id, number }) => ({
      method: 'PATCH',
      path: `/admin/webhooks/${id}`,
      token: server.adminToken,
      ...json({ disabled: number % 2 === 0 }),
    }),
  },
  enableWebhook: {
    calls: 80,
    prepare: (server, calls) =>
      onlyNew(server, 1).then(([id = '']) => Array.from({ length: calls }, () => id)),
    call: ({ id }) => ({ ...post, path: `${ALL}/${id}/enable` }),
  },
  rotateWebhook: {
    calls: 80,
    prepare: one,
    call: ({ id }) => ({ ...post, path: `${ALL}/${id}/rotate` }),
  },
  testWebhook: {
    calls: 20,
    prepare: one,
    call: ({ id }) => ({ ...post, path: `${ALL}/${id}/test` }),
  },
  listDeliveries: {
    calls: 60,
    prepare: async (server, calls) => {
      const [path = ''] = await delivered(server, 20);
      return Array.from({ length: calls }, () => path.replace(/\/deliveries\/.*/, '/deliveries'));
    },
    call: ({ id }) => ({ path: `${ALL}/${id}` }),
  },
  showOwnership: { call: () => ({ path: '/feed/ply/ownership' }) },
  showMail: { prepare: mailed, call: () => ({ path: MAIL }) },
  listMailDeliveries: {
    calls: 60,
    prepare: mailed,
    call: () => ({ path: `${MAIL}/deliveries` }),
  },
  replayMail: {
    calls: 20,
    prepare: async (server, calls) => {
      await mailed(server, calls);
      const { deliveries } = await server.json({ path: `${MAIL}/deliveries` });
      const [first] = deliveries as readonly Listed[];
      return Array.from({ length: calls }, () => first?.id ?? '');
    },
    call: ({ id }) => ({ ...post, path: `${MAIL}/deliveries/${id}/replay` }),
  },
  replayDelivery: {
    calls: 20,
    prepare: delivered,
    call: ({ id }) => ({ ...post, path: `${ALL}/${id}/replay` }),
  },
  addWebhook: {
    calls: MOST,
    prepare: async (server, calls) => {
      await removeAll(server);
      return Array.from({ length: calls }, () => '');
    },
    call: ({ server }) => addition(server),
  },
  deleteWebhook: {
    calls: MOST,
    prepare: onlyNew,
    call: ({ id }) => ({ method: 'DELETE', path: `${ALL}/${id}` }),
  },
};
