import { reportId } from '../fill.ts';
import type { Call, FlatServer } from './client.ts';
import { type FlatCase, json, ownRow } from './flat-case.ts';

const post = { method: 'POST' };

/** A call by the administrator. */
const admin = (server: FlatServer, call: Call): Call => ({ ...call, token: server.adminToken });

async function idOfAdmin(server: FlatServer): Promise<string> {
  const { accounts } = await server.json(admin(server, { path: '/admin/accounts?limit=1000' }));
  const all = accounts as readonly { readonly id: string; readonly name: string }[];
  return all.find(({ name }) => name === 'bench-admin')?.id ?? '';
}

async function adminId(server: FlatServer, calls: number): Promise<readonly string[]> {
  const id = await idOfAdmin(server);
  return Array.from({ length: calls }, () => id);
}

/** Issues a token for each call; returns their ids. */
async function issueTokens(server: FlatServer, calls: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let done = 0; done < calls; done += 1) {
    const issued = await server.json({ ...post, path: '/api/tokens', ...json({}) });
    ids.push(
      String((issued['issued'] as Record<string, unknown> | undefined)?.['id'] ?? issued['id']),
    );
  }
  return ids;
}

export const accountReads: Readonly<Record<string, FlatCase>> = {
  livez: { call: () => ({ path: '/livez' }) },
  readyz: { call: () => ({ path: '/readyz' }) },
  healthz: { call: () => ({ path: '/healthz' }) },
  balance: { call: () => ({ path: '/api/balance' }) },
  usage: { call: () => ({ path: '/api/usage' }) },
  services: { call: () => ({ path: '/api/services' }) },
  route: { call: () => ({ path: '/api/route?c2=a.tunnel.ply.example:4444' }) },
  me: { call: () => ({ path: '/api/me' }) },
  session: { call: () => ({ path: '/session' }) },
  listTokens: { call: () => ({ path: '/api/tokens' }) },
  listServices: { call: ({ server }) => admin(server, { path: '/admin/services' }) },
  listOverlaps: { call: ({ server }) => admin(server, { path: '/admin/overlaps' }) },
  listAccounts: { call: ({ server }) => admin(server, { path: '/admin/accounts' }) },
  showAccount: {
    prepare: adminId,
    call: ({ server, id }) => admin(server, { path: `/admin/accounts/${id}` }),
  },
  showAccountUsage: {
    prepare: adminId,
    call: ({ server, id }) => admin(server, { path: `/admin/accounts/${id}/usage` }),
  },
  listAccountTokens: {
    prepare: adminId,
    call: ({ server, id }) => admin(server, { path: `/admin/accounts/${id}/tokens` }),
  },
  showQueue: { call: ({ server }) => admin(server, { path: '/admin/queue' }) },
  listFailedSamples: {
    call: ({ server }) => admin(server, { path: '/admin/samples/failed?limit=100' }),
  },
  showReanalysis: { call: ({ server }) => admin(server, { path: '/admin/reanalysis' }) },
  showWorkers: { call: ({ server }) => admin(server, { path: '/admin/workers' }) },
  listSettings: { call: ({ server }) => admin(server, { path: '/admin/settings' }) },
  audit: { call: ({ server }) => admin(server, { path: '/admin/audit?limit=100' }) },
};

export const accountWrites: Readonly<Record<string, FlatCase>> = {
  issueToken: {
    calls: 80,
    call: () => ({ ...post, path: '/api/tokens', ...json({ label: 'bench' }) }),
  },
  revokeToken: {
    calls: 40,
    prepare: issueTokens,
    call: ({ id }) => ({ method: 'DELETE', path: `/api/tokens/${id}` }),
  },
  // Above 100 sessions each ends the oldest.
  signIn: { calls: 80, call: () => ({ ...post, path: '/session' }) },
  signOut: { calls: 80, call: () => ({ method: 'DELETE', path: '/session' }) },
  endSessions: { calls: 40, call: () => ({ method: 'DELETE', path: '/api/sessions' }) },
  stopReanalysis: {
    calls: 40,
    call: ({ server }) => admin(server, { method: 'DELETE', path: '/admin/reanalysis' }),
  },
  createAccountLink: {
    calls: 80,
    prepare: adminId,
    call: ({ server, id }) =>
      admin(server, { ...post, path: `/admin/accounts/${id}/links`, ...json({}) }),
  },
  endAccountSessions: {
    calls: 40,
    prepare: adminId,
    call: ({ server, id }) =>
      admin(server, { method: 'DELETE', path: `/admin/accounts/${id}/sessions` }),
  },
  issueAccountToken: {
    calls: 80,
    prepare: adminId,
    call: ({ server, id }) =>
      admin(server, { ...post, path: `/admin/accounts/${id}/tokens`, ...json({}) }),
  },
  revokeAccountToken: {
    calls: 40,
    prepare: issueTokens,
    call: ({ server, id }) => admin(server, { method: 'DELETE', path: `/admin/tokens/${id}` }),
  },
  addAccount: {
    calls: 80,
    call: ({ server, number }) =>
      admin(server, { ...post, path: '/admin/accounts', ...json({ name: `account ${number}` }) }),
  },
  changeAccount: {
    calls: 80,
    prepare: adminId,
    call: ({ server, id, number }) =>
      admin(server, {
        method: 'PATCH',
        path: `/admin/accounts/${id}`,
        ...json({ quota: { limit: 1_000_000 + number, period: 'none' } }),
      }),
  },
  changeService: {
    calls: 80,
    call: ({ server, number }) =>
      admin(server, {
        method: 'PATCH',
        path: '/admin/services/ply',
        ...json({ name: `Ply ${number}` }),
      }),
  },
  addService: {
    calls: 40,
    call: ({ server, number }) =>
      admin(server, {
        ...post,
        path: '/admin/services',
        ...json({ slug: `bench-${number}`, name: `Bench ${number}`, confidenceScale: 100 }),
      }),
  },
  purgeReport: {
    calls: 80,
    call: (context) =>
      admin(context.server, {
        method: 'DELETE',
        path: `/admin/reports/${reportId(ownRow(context, 6))}?reason=bench`,
      }),
  },
};
