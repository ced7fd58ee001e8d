import { z } from 'zod';
import { type C2Address, c2AddressOf } from '../../domain/reports/c2-address.ts';
import type { Fact } from '../../domain/samples/analysis.ts';
import { LIMITS } from '../limits.ts';
import type { WorkerResponse } from './messages.ts';

/**
 * A hostile sample may have taken over the worker: a response is stored only if it matches this
 * schema.
 */
const text = (maxLength: number) => z.string().max(maxLength);
const count = z.int().nonnegative();
const hex = (bytes: number) =>
  z
    .string()
    .length(bytes * 2)
    .regex(/^[0-9a-f]+$/);
const heat = z.int().min(1).max(10);
const tagName = z.string().regex(/^[A-Z0-9_.-]{1,64}$/);

const report = z.strictObject({
  date: z.iso.datetime().transform((value) => new Date(value)),
  tags: z.array(z.strictObject({ heat, name: tagName })).max(LIMITS.tags),
  ssdeep: z.string().regex(/^[0-9]{1,12}:[A-Za-z0-9+/]{0,64}:[A-Za-z0-9+/]{0,64}$/),
  configs: z.record(
    tagName,
    z
      .record(text(LIMITS.settingNameLength), text(LIMITS.settingLength))
      .refine(
        (settings) => Object.keys(settings).length <= LIMITS.settings,
        `has more than ${LIMITS.settings} settings`,
      ),
  ),
  md5: hex(16),
  sha1: hex(20),
  sha256: hex(32),
  sha512: hex(64),
  blake3: hex(32),
  fileName: text(1024),
  sizeBytes: count,
  duration: z.string().regex(/^\d\d:\d\d:\d\d\.\d{7}$/),
});

const fact: z.ZodType<Fact> = z.lazy(() =>
  z.union([
    text(LIMITS.factLength),
    z.number(),
    z.boolean(),
    z.null(),
    z.array(fact),
    z.record(text(512), fact),
  ]),
);

const member = text(1100).optional();

const details = z.strictObject({
  tlsh: z
    .string()
    .regex(/^T1[0-9A-F]{70}$/)
    .optional(),
  evidence: z
    .array(
      z.strictObject({
        tag: tagName,
        heat,
        // `printableText` replaces characters by longer escapes.
        source: text(LIMITS.sourceLength * 8),
        offset: count.optional(),
        note: text(2048).optional(),
        member,
      }),
    )
    .max(LIMITS.evidence + 1024),
  indicators: z
    .array(
      z.strictObject({
        kind: z.enum([
          'url',
          'address',
          'host',
          'discord-webhook',
          'telegram-token',
          'telegram-chat',
          'email',
          'wallet',
          'onion',
        ]),
        value: text(LIMITS.textLength * 8),
        offset: count,
        member,
      }),
    )
    .max(LIMITS.indicators),
  facts: z.record(text(32), z.record(text(LIMITS.factNameLength), fact)),
  members: z
    .array(
      z.strictObject({ path: text(8192), sizeBytes: count, sha256: hex(32), type: text(2048) }),
    )
    .max(LIMITS.members),
  c2s: z
    .array(
      z
        .strictObject({ host: text(253), port: z.int(), family: tagName })
        .refine(isCanonical, 'is not an address as we write it'),
    )
    .max(LIMITS.c2s),
  hasMoreC2s: z.boolean().optional(),
});

function isCanonical({ host, port }: C2Address): boolean {
  return c2AddressOf(host, port)?.host === host;
}

const response = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready'), ruleProblems: z.array(text(4096)).max(4096) }),
  z.strictObject({
    kind: z.literal('done'),
    analysis: z.strictObject({ report, details }),
    rssBytes: count,
  }),
  z.strictObject({ kind: z.literal('failed'), message: text(4096), rssBytes: count }),
]);

/**
 * Validation takes one to two microseconds per value on the main thread; more values would block it
 * for too long.
 */
const MAX_VALUES = 2 * LIMITS.factValues;
const MAX_DEPTH = 32;

/** Returns the validated response, or a description of the first problem. */
export function validateResponse(value: unknown): WorkerResponse | string {
  if (!isBounded(value)) return 'the response: has too many values, or is nested too deep';
  const result = response.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.map(loggableName).join('.') ?? 'the response';
  return `${path}: ${issue?.message ?? 'is invalid'}`;
}

function isBounded(value: unknown): boolean {
  let remaining = MAX_VALUES;
  const fits = (one: unknown, depth: number): boolean => {
    remaining -= 1;
    if (remaining < 0 || depth > MAX_DEPTH) return false;
    if (typeof one !== 'object' || one === null) return true;
    return Object.values(one).every((inner) => fits(inner, depth + 1));
  };
  return fits(value, 0);
}

/** Names of facts and settings come from the sample and must not reach the log. */
function loggableName(name: PropertyKey): string {
  return /^\w{1,32}$/.test(String(name)) ? String(name) : '?';
}
