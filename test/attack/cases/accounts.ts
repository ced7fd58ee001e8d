import { randomUUID } from 'node:crypto';
import { RapsheetClient } from '../../../src/client/client.ts';
import { RapsheetError } from '../../../src/client/error.ts';
import type { AttackCase } from '../case.ts';
import { sha256Of } from '../fill.ts';
import { type RequestCase, requestCase } from '../request-case.ts';
import { cookieOf, nameOf, newLink, spend } from '../sessions.ts';
import type { Target } from '../target.ts';

type Role = 'researcher' | 'admin';
const PAST = '2020-01-01T00:00:00Z';
const ROUNDS = 6;
/** A node learns of a change on another one through a notification, or by polling. */
const WAIT_MS = 10_000;

interface Person {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

async function add(
  target: Target,
  roles: readonly Role[],
  services: readonly string[] = [],
): Promise<Person> {
  const name = `person ${randomUUID()}`;
  const added = await target.client('admin').addAccount({ name, roles, services });
  return { id: added.account.id, name, token: added.token };
}

function clientOf(url: string, { token }: Person): RapsheetClient {
  return new RapsheetClient({ url, token, retries: 0 });
}

async function isRefused(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return false;
  } catch (cause) {
    if (cause instanceof RapsheetError) return true;
    throw cause;
  }
}

/** A session by a token, on a node. */
async function sessionOn(url: string, { token }: Person): Promise<string> {
  const headers = { authorization: token, 'x-rapsheet-request': '1' };
  return cookieOf(await fetch(`${url}/session`, { method: 'POST', headers }));
}

async function isSignedIn(url: string, cookie: string): Promise<boolean> {
  return (await fetch(`${url}/session`, { headers: { cookie } })).status === 200;
}

async function becomes(state: () => Promise<boolean>): Promise<boolean> {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; ) if (await state()) return true;
  return false;
}

const DISABLED: AttackCase = {
  name: 'a session and a link of an account that is disabled and enabled again, on two nodes',
  safe: 'both have ended for good',
  async run(target) {
    const node = await target.secondNode();
    try {
      const person = await add(target, ['researcher']);
      const cookies = await Promise.all(
        [target.server.url, node.url].map((url) => sessionOn(url, person)),
      );
      const link = await newLink(target, person.id);
      const admin = target.client('admin');
      await admin.changeAccount(person.id, { disabled: true });
      await becomes(() => isRefused(clientOf(node.url, person).me()));
      await admin.changeAccount(person.id, { disabled: false });
      await becomes(async () => !(await isRefused(clientOf(node.url, person).me())));
      const alive = await Promise.all(
        cookies.flatMap((cookie) =>
          [target.server.url, node.url].map((url) => isSignedIn(url, cookie)),
        ),
      );
      return [
        ...(alive.includes(true) ? ['a session was revived'] : []),
        ...((await spend(target, link)).status === 200 ? ['the link was revived'] : []),
      ];
    } finally {
      await node.end('SIGTERM');
    }
  },
};

const STOLEN_SESSION: AttackCase = {
  name: 'tokens that a stolen session has issued, and one issued with them, after sign-out everywhere',
  safe: 'are revoked if the owner asks for it',
  async run(target) {
    const person = await add(target, ['researcher']);
    const { url } = target.server;
    const cookie = await sessionOn(url, person);
    const issue = async (headers: Record<string, string>) => {
      const answer = await fetch(`${url}/api/tokens`, { method: 'POST', headers });
      return { ...person, token: ((await answer.json()) as { token: string }).token };
    };
    const stolen = await issue({ cookie, 'x-rapsheet-request': '1' });
    const second = await issue({ authorization: stolen.token });
    // The thief covers the tracks.
    const headers = { cookie, 'x-rapsheet-request': '1' };
    await fetch(`${url}/session`, { method: 'DELETE', headers });
    await clientOf(url, person).endSessions({ issued: true });
    const refused = await Promise.all(
      [stolen, second].map((thief) => isRefused(clientOf(url, thief).me())),
    );
    return [
      ...(refused.includes(false) ? ['a token of the thief is valid'] : []),
      ...((await isRefused(clientOf(url, person).me())) ? ['the token of the owner ended'] : []),
      ...((await nameOf(target, cookie)) === undefined ? [] : ['the session is valid']),
    ];
  },
};

const LOCKOUT: AttackCase = {
  name: 'two administrators who end each other at once, on two nodes',
  safe: 'one of them is left',
  async run(target) {
    const node = await target.secondNode();
    const unsafe: string[] = [];
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const [one, other] = [await add(target, ['admin']), await add(target, ['admin'])];
        const ends = [{ disabled: true }, { roles: [] }, { expiresAt: PAST }];
        const refused = await Promise.all([
          isRefused(
            clientOf(target.server.url, one).changeAccount(other.id, ends[round % 3] ?? {}),
          ),
          isRefused(clientOf(node.url, other).changeAccount(one.id, ends[(round + 1) % 3] ?? {})),
        ]);
        const left = refused.filter(Boolean).length;
        if (left !== 1) unsafe.push(`${left} of two are left`);
      }
    } finally {
      await node.end('SIGTERM');
    }
    return unsafe;
  },
};

const LOOK_ALIKES: AttackCase = {
  name: 'accounts whose names look alike, added at once on two nodes',
  safe: 'one of them is added',
  async run(target) {
    const node = await target.secondNode();
    const unsafe: string[] = [];
    try {
      const nodes = [target.server.url, node.url];
      for (let round = 0; round < ROUNDS; round += 1) {
        const unique = randomUUID().slice(0, 8);
        const names = ['Desk', 'DESK', 'desk', 'ｄｅｓｋ'].map((name) => `${name} ${unique}`);
        const admin = { id: '', name: 'admin', token: target.tokenOf('admin') };
        const refused = await Promise.all(
          names.map((name, index) =>
            isRefused(clientOf(nodes[index % 2] ?? '', admin).addAccount({ name })),
          ),
        );
        const added = refused.filter((one) => !one).length;
        if (added !== 1) unsafe.push(`${added} of ${names.length} were added`);
      }
    } finally {
      await node.end('SIGTERM');
    }
    return unsafe;
  },
};

async function report(target: Target, person: Person, service: string): Promise<string> {
  const c2Address = `${randomUUID()}.example:443`;
  const body = { c2Address, file256Hash: sha256Of(c2Address), tags: ['trust'] };
  return (await clientOf(target.server.url, person).createReport(service, body)).id;
}

const TRUST: AttackCase = {
  name: 'a researcher who acts on reports of the same account, and deletes those that were rejected',
  safe: 'judgements of the reporter do not count, and those of others stay',
  async run(target) {
    const admin = target.client('admin');
    const [own, other] = [`own-${randomUUID()}`, `other-${randomUUID()}`];
    for (const slug of [own, other]) await admin.addService({ slug });
    const person = await add(target, ['researcher'], [own]);
    const desk = await add(target, [], [other]);
    const { url } = target.server;
    const client = clientOf(url, person);
    for (let count = 0; count < 5; count += 1)
      await client.setStatus(own, await report(target, person, own), { status: 'actioned' });
    const rejected = await report(target, person, other);
    await clientOf(url, desk).setStatus(other, rejected, {
      status: 'rejected',
      reason: 'false_positive',
    });
    await client.deleteReport(other, rejected);
    const { precision } = await client.reporterStatistics(person.name);
    return precision?.right === 0 && precision.wrong === 1
      ? []
      : [`the precision is ${JSON.stringify(precision)}`];
  },
};

/** An administrator locks everybody out, by mistake or with a stolen session. */
const OWN_ACCOUNT: readonly RequestCase[] = [
  { disabled: true },
  { roles: [] },
  { expiresAt: PAST },
].map((body) => ({
  name: `an administrator's change of the same account: ${JSON.stringify(body)}`,
  as: 'admin' as const,
  send: {
    method: 'PATCH',
    path: '/admin/accounts/admin',
    headers: ['Content-Type: application/json'],
    body: JSON.stringify(body),
  },
  safe: { status: 409, mustMatch: /rapsheet account set/ },
}));

const NAMES: readonly RequestCase[] = ['ADMIN', 'аdmin', 'ａｄｍｉｎ', 'adm1n'].map((name) => ({
  name: `an account called ${name}`,
  as: 'admin' as const,
  send: {
    method: 'POST',
    path: '/admin/accounts',
    headers: ['Content-Type: application/json'],
    body: JSON.stringify({ name, roles: ['admin'] }),
  },
  safe: { status: [400, 409], mustNotMatch: /rap_/ },
}));

/** Accounts: what outlives their end, who is left, and who looks like whom. */
export const accounts: readonly AttackCase[] = [
  ...OWN_ACCOUNT.map(requestCase),
  ...NAMES.map(requestCase),
  DISABLED,
  STOLEN_SESSION,
  LOCKOUT,
  LOOK_ALIKES,
  TRUST,
];
