import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { InjectOptions } from 'fastify';
import { NO_LIMIT } from '../../../src/domain/accounts/account-limits.ts';
import { Problem } from '../../../src/domain/problem.ts';
import { startStopwatch } from '../../stopwatch.ts';
import { FORM_TYPE, filePart, form, openRig, part } from '../http-rig.ts';
import { longestValues, repeated } from '../longest-values.ts';
import { type InputOperation, inputOperations, MARK } from '../operations.ts';

// Runs in its own process: it measures the processor time of calls.

const RATE = { perMinute: undefined, burst: NO_LIMIT };
const refuse = () => Promise.reject(new Problem('unknown_format'));
const rig = await openRig({
  accountLimits: { createRate: RATE, uploadRate: RATE },
  betweenExports: () => ({ version: refuse, open: refuse }),
});
after(() => rig.close());

const service = await rig.service({ hosts: ['*.lantern.example'] });
const caller = await rig.account({ roles: ['researcher', 'admin'], services: [service] });
const authorization = `Bearer ${caller.token}`;
const uploaded = await rig.upload(caller.token, 'a file');
await rig.finish(String(uploaded.json['sha256Hash']), { configs: { LANTERN: {} } });
const listed = await rig.ask('GET', '/api/proposals', { token: caller.token });
const [proposal] = listed.json['proposals'] as { readonly id: string }[];
const operations = inputOperations(rig.app);

/** Values of path parameters with which the gate lets a request pass. */
function urlOf({ path }: InputOperation): string {
  const account = path.startsWith('/admin/accounts') ? caller.name : undefined;
  const values: Readonly<Record<string, string | undefined>> = {
    service,
    slug: service,
    collection: service,
    format: 'csv',
    id: account ?? proposal?.id,
  };
  return path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'x');
}

async function send(
  { method }: InputOperation,
  url: string,
  { headers = {}, payload }: Pick<InjectOptions, 'headers' | 'payload'> = {},
): Promise<{ readonly status: number; readonly text: string; readonly cpuMs: number }> {
  const elapsed = startStopwatch();
  // The types of `inject` do not allow every method.
  const options = { method: method as 'GET', url, headers: { authorization, ...headers } };
  const answer = await rig.app.inject(payload === undefined ? options : { ...options, payload });
  return { status: answer.statusCode, text: answer.payload, cpuMs: elapsed() };
}

/**
 * Ten times what the dearest call costs here (50 ms), because machines differ. A search that is
 * quadratic takes seconds. `npm run attack` measures the turns of the event loop.
 */
const MAX_CPU_MS = 500;
const MAX_TEXT = 10_000;
/** A collection of the garbage of earlier calls may fall into one of them. */
const ATTEMPTS = 4;

async function check(what: string, call: () => ReturnType<typeof send>): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && least > MAX_CPU_MS; attempt += 1) {
    const { status, text, cpuMs } = await call();
    least = Math.min(least, cpuMs);
    const is4xxOr2xx = status >= 200 && status < 500;
    assert.ok(is4xxOr2xx, `${what}: ${status} ${text.slice(0, 200)}`);
    if (status >= 400) assert.ok(text.length < MAX_TEXT, `${what}: ${text.length} characters`);
  }
  assert.ok(least <= MAX_CPU_MS, `${what}: ${least} ms of processor time`);
}

/** The limit of a route, from its refusal of a body that is larger. */
async function limitOf(operation: InputOperation, type: string): Promise<number> {
  const headers = { 'content-type': type, 'content-length': String(2 ** 52) };
  const { text } = await send(operation, urlOf(operation), { headers, payload: '{}' });
  const limit = /the limit is (\d+) bytes/.exec(text)?.[1];
  return limit === undefined ? assert.fail(`${operation.id}: ${text}`) : Number(limit);
}

const JSON_TYPES = ['application/json', 'application/taxii+json;version=2.1'];
/** Below the bounds that hold for every body, so that the list reaches the route. */
const MOST_ITEMS = 4900;
/**
 * Room for those items. A longer member is part of the longest bodies only: work that is quadratic
 * shows in this one too.
 */
const MOST_BYTES = 320 * 1024;

describe('the longest values of a body', () => {
  for (const operation of operations) {
    const { id, bodyType = '', marked } = operation;
    if (!JSON_TYPES.includes(bodyType)) continue;
    it(`cost little: ${id}`, async () => {
      const url = urlOf(operation);
      const headers = { 'content-type': bodyType };
      const limit = await limitOf(operation, bodyType);
      const room = limit - Math.max(...marked.map((body) => Buffer.byteLength(body)));
      const attack = async (body: string, values: ReturnType<typeof longestValues>) => {
        for (const [what, value] of Object.entries(values)) {
          const payload = body.replace(MARK, () => value);
          await check(`${what} in ${body}`, () => send(operation, url, { headers, payload }));
        }
      };
      await attack(MARK, longestValues(limit));
      const values = longestValues(Math.min(room, MOST_BYTES), MOST_ITEMS);
      for (const body of marked) await attack(body, values);
    });
  }
});

const LINE = 64 * 1024;
const NDJSON = { 'content-type': 'application/x-ndjson' };

/** Bodies that are read as a stream. They have no limit, or a large one, so each has its own. */
const STREAMED: Readonly<
  Record<string, () => Iterable<Pick<InjectOptions, 'headers' | 'payload'>>>
> = {
  *createReports() {
    const longest = Object.values(longestValues(LINE - 100));
    for (const value of longest) {
      yield { headers: NDJSON, payload: value };
      yield { headers: NDJSON, payload: `{"tags":${value}}` };
      yield { headers: NDJSON, payload: `{"c2Address":${value}}` };
    }
    yield { headers: NDJSON, payload: '\n'.repeat(1024 * 1024) };
  },
  *importSamples() {
    const longest = Object.values(longestValues(1024 * 1024 - 100));
    for (const value of longest) {
      yield { headers: NDJSON, payload: value };
      yield { headers: NDJSON, payload: `{"tags":${value}}` };
      yield { headers: NDJSON, payload: `{"configs":${value}}` };
    }
    yield { headers: NDJSON, payload: '\n'.repeat(1024 * 1024) };
  },
  *upload() {
    const headers = { 'content-type': FORM_TYPE };
    const parts = Array.from({ length: 800 }, (_, index) =>
      part(`form-data; name="f${index}"`, ''),
    );
    yield { headers, payload: form(...parts) };
    yield { headers, payload: form(filePart('x', 'n'.repeat(64 * 1024))) };
    yield {
      headers,
      payload: form(part('form-data; name="file"', 'x', 'A: b\r\n'.repeat(10_000))),
    };
  },
};

describe('the longest parts of a streamed body', () => {
  for (const operation of operations) {
    const { id, bodyType } = operation;
    if (bodyType === undefined || JSON_TYPES.includes(bodyType)) continue;
    it(`cost little: ${id}`, async () => {
      const bodies = STREAMED[id];
      assert.ok(bodies, `${id} needs an entry of STREAMED`);
      for (const body of bodies())
        await check(`${String(body.payload).slice(0, 100)}`, () =>
          send(operation, urlOf(operation), body),
        );
    });
  }
});

/** Node accepts 16 KiB of headers, which include the URL. */
const HEAD = 15 * 1024;
/** Lists that any request may have. */
const LISTS = ['accept', 'accept-encoding', 'if-none-match', 'prefer', 'cookie', 'x-forwarded-for'];

describe('the longest values of a query', () => {
  for (const operation of operations.filter(({ queryNames }) => queryNames.length > 0)) {
    it(`cost little: ${operation.id}`, async () => {
      const url = urlOf(operation);
      // A stream does not end, unless its query is refused.
      const isStream = operation.path.endsWith('/stream');
      for (const name of operation.queryNames) {
        const key = encodeURIComponent(name);
        const queries = [
          repeated(`${key}&`, HEAD),
          repeated(`${key}=a&`, HEAD),
          repeated(`${key}[]=a&`, HEAD),
          `${key}=${repeated('a,', HEAD)}`,
          `${key}=${repeated('a', HEAD)}`,
          `${key}=${repeated('%20', HEAD)}`,
          `${key}=constructor`,
        ];
        for (const query of queries)
          await check(`${url}?${query.slice(0, 60)}`, () =>
            send(operation, `${url}?${query}${isStream ? '&unknown' : ''}`),
          );
      }
    });
  }

  it('cost little if no operation knows them', async () => {
    const list = operations.find(({ id }) => id === 'listReports') ?? assert.fail();
    let query = '';
    for (let index = 0; query.length < HEAD; index += 1) query += `${index}&`;
    await check(query.slice(0, 60), () => send(list, `${urlOf(list)}?${query}`));
  });
});

describe('the longest lists of a header', () => {
  for (const operation of operations.filter(({ method }) => method === 'GET')) {
    const url = operation.path.endsWith('/stream')
      ? `${urlOf(operation)}?unknown`
      : urlOf(operation);
    it(`cost little: ${operation.id}`, async () => {
      for (const name of new Set([...LISTS, ...operation.headerNames]))
        for (const value of [repeated('a,', HEAD), repeated(',;', HEAD), repeated('"a" ', HEAD)])
          await check(`${name}: ${value.slice(0, 20)}`, () =>
            send(operation, url, { headers: { [name]: value } }),
          );
    });
  }
});
