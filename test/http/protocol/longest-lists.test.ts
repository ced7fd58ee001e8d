import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { NO_LIMIT } from '../../../src/domain/accounts/account-limits.ts';
import { startStopwatch } from '../../stopwatch.ts';
import { openRig } from '../harness.ts';
import { filled, longestValues } from '../longest-values.ts';
import { inputOperations, MARK } from '../operations.ts';

// Runs in its own process: it measures the processor time of calls.

const RATE = { perMinute: undefined, burst: NO_LIMIT };
const rig = await openRig({ accountLimits: { createRate: RATE, uploadRate: RATE } });
after(() => rig.close());

const service = await rig.service({ hosts: ['*.lantern.example'] });
const caller = await rig.account({ roles: ['researcher', 'admin'], services: [service] });
const { token } = caller;
const uploaded = await rig.upload(token, 'a file');
await rig.finish(String(uploaded.json['sha256Hash']), { configs: { LANTERN: {} } });
const proposals = await rig.ask('GET', '/proposals', { token });
const [proposal] = proposals.json['proposals'] as { readonly id: string }[];
assert.ok(proposal);

/** Values of path parameters that reach the body. */
const PARAMETERS: Readonly<Record<string, string>> = {
  service,
  slug: service,
  collection: service,
  format: 'ndjson',
};

function urlOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const isAccount = path.startsWith('/admin/accounts');
    return PARAMETERS[name] ?? (isAccount ? caller.name : (proposal?.id ?? ''));
  });
}

/** The limit of a route, from its refusal of a body that is larger. */
async function limitOf(method: string, url: string, type: string): Promise<number> {
  const headers = { 'content-type': type, 'content-length': String(2 ** 52) };
  const { text } = await rig.ask(method, url, { token, headers, payload: '{}' });
  const limit = /the limit is (\d+) bytes/.exec(text)?.[1];
  return limit === undefined ? assert.fail(`no limit of ${method} ${url}: ${text}`) : Number(limit);
}

const found: [string, number, number][] = [];

async function checkCall(what: string, call: () => ReturnType<typeof rig.ask>): Promise<void> {
  rig.clock.advance(60_000);
  const elapsed = startStopwatch();
  const answer = await call();
  const ms = elapsed();
  found.push([what, ms, answer.status]);
  assert.ok(answer.status < 500, `${what}: ${answer.status} ${answer.text.slice(0, 200)}`);
}
after(() => { for (const f of found.sort((a,b)=>b[1]-a[1]).slice(0,60)) console.log(f); console.log(found.length, found.reduce((s,f)=>s+f[1],0)); });

const operations = inputOperations(rig.app);
const JSON_TYPES = ['application/json', 'application/taxii+json;version=2.1'];

describe('the longest values of a body', () => {
  for (const { id, method, path, bodyType = '', marked } of operations) {
    if (!JSON_TYPES.includes(bodyType)) continue;
    it(`are answered in bounded time: ${id}`, async () => {
      const url = urlOf(path);
      const headers = { 'content-type': bodyType };
      const limit = await limitOf(method, url, bodyType);
      for (const body of marked) {
        for (const [what, value] of Object.entries(longestValues(limit - body.length))) {
          const payload = body.replace(MARK, () => value);
          await checkCall(`${id}: ${what} in ${body.slice(0, 500)}`, () =>
            rig.ask(method, url, { token, headers, payload }),
          );
        }
      }
    });
  }
});
