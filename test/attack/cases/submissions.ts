import type { AttackCase } from '../case.ts';
import { type RequestCase, requestCase } from '../request-case.ts';
import type { Role, Target } from '../target.ts';

const OBJECTS = '/taxii2/feeds/collections/ply/objects/';
const TAXII = 'application/taxii+json;version=2.1';
const SHA256 = 'ab'.repeat(32);
const BOTH = `[network-traffic:dst_ref.value = 'c2.evil.example' AND network-traffic:dst_port = 4444] AND [file:hashes.'SHA-256' = '${SHA256}']`;
/** The most objects of an envelope. */
const MOST = 2000;
const POSTS = 40;
/** The limit of statuses, and those of the envelopes in progress. */
const STATUS_BYTES = 4 * 1024 * 1024;
const MAX_STATUS_BYTES = 1_300_000;

function indicator(number: number, members: object = {}): object {
  const id = `indicator--${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`;
  return { id, type: 'indicator', spec_version: '2.1', pattern_type: 'stix', ...members };
}

/** With the longest ids that are accepted. */
const describing = (count: number) =>
  Array.from({ length: count }, (_, number) => ({
    id: `malware--${String(number).padStart(247, '0')}`,
    type: 'malware',
    modified: '2026-08-26T10:00:00.000Z',
  }));

interface Sent {
  readonly status: number;
  readonly code: string;
  readonly retryAfter: number;
  readonly text: string;
}

async function post(target: Target, body: string, role: Role = 'researcher'): Promise<Sent> {
  const answer = await target.call(role, OBJECTS, {
    method: 'POST',
    headers: { 'content-type': TAXII, accept: TAXII },
    body,
  });
  const text = await answer.text();
  return {
    status: answer.status,
    code: answer.headers.get('x-error-code') ?? '',
    retryAfter: Number(answer.headers.get('retry-after') ?? 0),
    text,
  };
}

const envelope = (objects: readonly object[]) => JSON.stringify({ objects });

/** Sends all, eight at a time, as many as an account may. */
async function postAll(target: Target, bodies: readonly string[]): Promise<readonly Sent[]> {
  const answers: Sent[] = [];
  for (let start = 0; start < bodies.length; start += 8)
    answers.push(
      ...(await Promise.all(bodies.slice(start, start + 8).map((body) => post(target, body)))),
    );
  return answers;
}

function keptBytes(answers: readonly Sent[]): number {
  const kept = answers.filter(({ status }) => status === 202);
  return kept.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

/** Every refusal is one of these codes, and says when to come back. */
function unexpected(answers: readonly Sent[], codes: readonly string[]): readonly string[] {
  const refused = answers.filter(({ status }) => status !== 202);
  return [
    ...(refused.length > 0 ? [] : ['none was refused']),
    ...refused
      .filter(({ code, retryAfter, status }) => {
        const isThrottled = status === 429 && retryAfter > 0;
        return !codes.includes(code) || !(isThrottled || status === 422);
      })
      .map(({ status, code, text }) => `answered ${status} ${code}: ${text.slice(0, 200)}`),
  ];
}

/** What a body of that size may contain at most, in forms that are slow to read. */
const SLOW: Readonly<Record<string, () => string>> = {
  'opening brackets': () =>
    envelope(
      Array.from({ length: 1000 }, (_, number) => indicator(number, { pattern: '['.repeat(1900) })),
    ),
  comparisons: () =>
    envelope(
      Array.from({ length: 1000 }, (_, number) => indicator(number, { pattern: 'a='.repeat(950) })),
    ),
  'a literal': () =>
    envelope(
      Array.from({ length: 1000 }, (_, number) =>
        indicator(number, { pattern: `[a:b = '${'x'.repeat(1850)}']` }),
      ),
    ),
  'empty objects': () => `{"objects":[${'{},'.repeat(690_000)}{}]}`,
  'different names': () =>
    envelope([
      indicator(1, {
        x: Object.fromEntries(Array.from({ length: 180_000 }, (_, n) => [`${n.toString(36)}k`, 1])),
      }),
    ]),
  'as many values as are accepted': () =>
    envelope([
      indicator(1, {
        x: Object.fromEntries(Array.from({ length: 39_900 }, (_, n) => [`${n.toString(36)}k`, 1])),
      }),
    ]),
  'labels of one file that all reports share': () =>
    envelope([
      indicator(0, {
        pattern: `[file:hashes.'SHA-256' = '${SHA256}']`,
        labels: Array.from({ length: 30_000 }, (_, n) => `${n}`),
        external_references: [{ source_name: 'x', external_id: '1' }],
      }),
      ...Array.from({ length: 1500 }, (_, n) =>
        indicator(n + 1, {
          pattern: "[ipv4-addr:value = '192.0.2.1' AND network-traffic:dst_port = 4444]",
          external_references: [{ source_name: 'x', external_id: '1' }],
        }),
      ),
    ]),
};

const MAX_TURN_MS = 100;

const LOADS: readonly AttackCase[] = [
  {
    name: `${POSTS} TAXII envelopes of ${MOST} objects that describe nothing`,
    safe: 'refuses those without an indicator, keeps nothing of them, and charges each object',
    isLoad: true,
    settings: { RAPSHEET_ACCOUNT_CREATES_PER_MINUTE: '6000' },
    async run(target) {
      const body = envelope(describing(MOST));
      const answers = await postAll(
        target,
        Array.from({ length: POSTS }, () => body),
      );
      const charged = answers.filter(({ code }) => code === 'rate_limited').length;
      return [
        ...unexpected(answers, ['invalid_envelope', 'rate_limited']),
        ...(keptBytes(answers) === 0 ? [] : [`kept ${keptBytes(answers)} bytes`]),
        ...(charged >= POSTS - 11 ? [] : [`only ${charged} exceeded the rate limit`]),
      ];
    },
  },
  {
    name: `${POSTS} TAXII envelopes of ${MOST} objects with an indicator, without a rate limit`,
    safe: 'keeps statuses up to their limit for the account, and then refuses',
    isLoad: true,
    settings: { RAPSHEET_ACCOUNT_STATUS_BYTES: String(STATUS_BYTES) },
    async run(target) {
      const body = envelope([indicator(1, { pattern: BOTH }), ...describing(MOST - 1)]);
      const answers = await postAll(
        target,
        Array.from({ length: POSTS }, () => body),
      );
      const kept = keptBytes(answers);
      const other = await post(target, envelope([indicator(2, { pattern: BOTH })]), 'owner');
      return [
        ...unexpected(answers, ['status_bytes_exceeded']),
        ...(kept < STATUS_BYTES + 8 * MAX_STATUS_BYTES ? [] : [`kept ${kept} bytes`]),
        ...(other.status === 403 ? [] : [`an owner got ${other.status}`]),
      ];
    },
  },
  ...Object.entries(SLOW).map(
    ([form, body]): AttackCase => ({
      name: `a TAXII envelope of 2 MB that is slow to read: ${form}`,
      safe: `reads it in turns of less than ${MAX_TURN_MS} ms`,
      isLoad: true,
      maxTurnMs: MAX_TURN_MS,
      async prepare(target) {
        // Compiles what reads envelopes.
        await post(target, envelope([indicator(1, { pattern: BOTH })]));
      },
      async run(target) {
        const sent = body();
        const answers = [await post(target, sent), await post(target, sent)];
        return answers
          .filter(({ status }) => ![202, 422].includes(status))
          .map(({ status, text }) => `answered ${status}: ${text.slice(0, 200)}`);
      },
    }),
  ),
];

const REQUESTS: readonly RequestCase[] = [
  {
    name: 'a TAXII submission with a version of a megabyte',
    as: 'researcher',
    send: {
      method: 'POST',
      path: OBJECTS,
      headers: [`Content-Type: ${TAXII}`],
      body: envelope([indicator(3, { pattern: BOTH, modified: '2'.repeat(1_000_000) })]),
    },
    safe: { status: 422, code: 'invalid_envelope', mustNotMatch: /2{50}/ },
  },
  {
    name: 'a TAXII submission by the owner of the feed, who is no researcher',
    as: 'owner',
    send: {
      method: 'POST',
      path: OBJECTS,
      headers: [`Content-Type: ${TAXII}`],
      body: envelope([indicator(4, { pattern: BOTH })]),
    },
    safe: { status: 403, code: 'role_missing' },
  },
  ...(['reader', 'owner', 'admin'] as const).map((role) => ({
    name: `the status of a TAXII submission of a researcher, read as ${role}`,
    as: role,
    send: async (target: Target) => {
      const { text } = await post(target, envelope([indicator(5, { pattern: BOTH })]));
      const { id } = JSON.parse(text) as { readonly id: string };
      return { path: `/taxii2/feeds/status/${id}/` };
    },
    safe: { status: 404, code: 'unknown_submission' },
  })),
];

/** What researchers submit by TAXII. */
export const submissions: readonly AttackCase[] = [...REQUESTS.map(requestCase), ...LOADS];
