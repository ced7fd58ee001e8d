import { z } from 'zod';
import type { Analysis, Fact } from '../domain/analysis.ts';
import type { FileDigests } from '../ports/analyser.ts';
import { LIMITS } from './limits.ts';
import type { Answer } from './messages.ts';

/** A worker may have been taken over by what it read: nothing that it says is stored unless it fits in here. */
const text = (most: number) => z.string().max(most);
const count = z.int().nonnegative();
const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`));
const heat = z.int().min(1).max(10);
const tagName = z.string().regex(/^[A-Z0-9_.-]{1,64}$/);

const report = z.strictObject({
  date: z.iso.datetime().transform((value) => new Date(value)),
  tags: z.array(z.strictObject({ heat, name: tagName })).max(LIMITS.tags),
  ssdeep: z.string().regex(/^[0-9]{1,12}:[A-Za-z0-9+/]{0,64}:[A-Za-z0-9+/]{0,64}$/),
  configs: z.record(
    tagName,
    z
      .record(text(128), text(16_384))
      .refine((settings) => Object.keys(settings).length <= 128, 'has more than 128 settings'),
  ),
  md5: hex(16),
  sha1: hex(20),
  sha256: hex(32),
  sha512: hex(64),
  blake3: hex(32),
  fileName: text(255),
  sizeBytes: count,
  duration: z.string().regex(/^\d\d:\d\d:\d\d\.\d{7}$/),
});

const fact: z.ZodType<Fact> = z.lazy(() =>
  z.union([
    text(16_384),
    z.number(),
    z.boolean(),
    z.null(),
    z.array(fact),
    z.record(text(512), fact),
  ]),
);

const member = text(1100).optional();

const details = z.strictObject({
  evidence: z
    .array(
      z.strictObject({
        tag: tagName,
        heat,
        source: text(256),
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
  facts: z.record(text(32), z.record(text(512), fact)),
  members: z
    .array(
      z.strictObject({ path: text(8192), sizeBytes: count, sha256: hex(32), type: text(2048) }),
    )
    .max(LIMITS.members),
});

const answer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready'), ruleProblems: z.array(text(4096)).max(4096) }),
  z.strictObject({
    kind: z.literal('done'),
    analysis: z.strictObject({ report, details }),
    rssBytes: count,
  }),
  z.strictObject({ kind: z.literal('failed'), message: text(4096), rssBytes: count }),
]);

/** The answer, or what is wrong with it. */
export function checkAnswer(value: unknown): Answer | string {
  const result = answer.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  return `${issue?.path.join('.') ?? 'the answer'}: ${issue?.message ?? 'is not right'}`;
}

/** What the analysis says of the file that we know better ourselves. */
export function contradiction(
  { report }: Analysis,
  known: { readonly sizeBytes: number; readonly digests?: FileDigests | undefined },
): string | undefined {
  if (report.sizeBytes !== known.sizeBytes) return 'sizeBytes: is not that of the sample';
  const { digests } = known;
  if (digests === undefined) return undefined;
  const wrong = (Object.keys(digests) as (keyof FileDigests)[]).find(
    (name) => digests[name] !== report[name],
  );
  return wrong && `${wrong}: is not that of the sample`;
}
