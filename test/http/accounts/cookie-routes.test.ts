import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { BASE_URL, openRig } from '../http-rig.ts';
import { signedIn } from './browser.ts';

const rig = await openRig();
after(() => rig.close());

interface Operation {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly responses: Readonly<Record<string, { readonly headers?: object }>>;
}

interface Call {
  readonly method: string;
  readonly url: string;
  readonly name: string;
  readonly isPublic: boolean;
  /** Whether a page of another site could do harm with it. */
  readonly isProtected: boolean;
}

const service = await rig.service();
const { token } = await rig.account({ roles: ['admin', 'researcher'], services: [service] });
const { cookie = '' } = await signedIn(rig, token);

/** Every operation that the server has a route for, so that no new one can be forgotten. */
const calls = Object.entries(rig.app.swagger().paths ?? {}).flatMap(([path, operations]) =>
  Object.entries(operations as Readonly<Record<string, Operation>>).map(
    ([method, { operationId, security, responses }]): Call => ({
      method: method.toUpperCase(),
      url: path.replace('{service}', service).replace(/\{\w+\}/g, 'x'),
      name: operationId,
      isPublic: security?.length === 0,
      isProtected: method !== 'get' || 'RateLimit' in (responses['200']?.headers ?? {}),
    }),
  ),
);

async function codeOf({ method, url }: Call, headers: Readonly<Record<string, string>>) {
  const answer = await rig.ask(method, url, {
    headers: { cookie, ...headers },
    // A body is not read before the refusal.
    ...(['POST', 'PATCH', 'PUT'].includes(method) && { body: {} }),
  });
  return answer.code;
}

async function codesOf(asked: readonly Call[], headers: Readonly<Record<string, string>>) {
  const codes: Record<string, string | undefined> = {};
  for (const call of asked) codes[call.name] = await codeOf(call, headers);
  return codes;
}

const all = (asked: readonly Call[], code: string) =>
  Object.fromEntries(asked.map(({ name }) => [name, code]));

describe('every route that changes something or takes a unit', () => {
  const dangerous = calls.filter(({ isProtected }) => isProtected);

  it('is in the list', () => {
    assert.ok(dangerous.length > 30, String(dangerous.length));
    for (const name of ['createReport', 'lookUp', 'signIn', 'signOut', 'upload'])
      assert.ok(
        dangerous.some((call) => call.name === name),
        name,
      );
  });

  for (const [what, headers] of [
    ['without X-Rapsheet-Request', {}],
    [
      'without X-Rapsheet-Request, from a page of this server',
      { origin: BASE_URL, 'sec-fetch-site': 'same-origin' },
    ],
    ['from another origin', { origin: 'https://evil.example', 'x-rapsheet-request': '1' }],
    ['from another host of the site', { 'sec-fetch-site': 'same-site', 'x-rapsheet-request': '1' }],
  ] as const)
    it(`refuses a cookie ${what}`, async () => {
      const before = await rig.unitsLeft(token);
      assert.deepEqual(await codesOf(dangerous, headers), all(dangerous, 'cross_origin'));
      assert.equal(await rig.unitsLeft(token), before);
    });
});

describe('every other route', () => {
  const reads = calls.filter(({ isProtected, isPublic }) => !isProtected && !isPublic);
  const longLived = (call: Call) => /stream/i.test(call.name);

  it('answers without the header, and takes no unit', async () => {
    const before = await rig.unitsLeft(token);
    const asked = reads.filter((call) => !longLived(call));
    for (const [name, code] of Object.entries(await codesOf(asked, {})))
      assert.notEqual(code, 'cross_origin', name);
    assert.equal(await rig.unitsLeft(token), before);
  });

  it('refuses a cookie from another origin', async () => {
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      assert.deepEqual(await codesOf(reads, headers), all(reads, 'cross_origin'));
  });
});
