import { z } from 'zod';
import { invalid, type Problem } from '../../domain/problem.ts';
import { listOf } from '../requests/bounded-list.ts';
import { nextObject } from './envelope-turns.ts';

/** The status repeats these texts: they are short, and JSON escapes no character of them. */
const name = () => z.string().regex(/^[\w.:-]{1,256}$/);
const timestamp = () => z.string().regex(/^[0-9TtZz:.+-]{1,40}$/);

/** The values of 1,400 indicators of another installation, or of 1,000 with sixteen tags each. */
export const MAX_VALUES = 40_000;

/** The members of a submitted object that are read, whatever else it has. */
const submitted = z.looseObject({
  id: name(),
  type: name(),
  spec_version: z.string().optional(),
  created: timestamp().optional(),
  modified: timestamp().optional(),
  revoked: z.boolean().optional(),
  name: z.string().optional(),
  pattern: z.string().optional(),
  pattern_type: z.string().optional(),
  confidence: z.number().min(0).max(100).optional(),
  labels: listOf(z.string(), { max: MAX_VALUES }).optional(),
  external_references: listOf(
    z.looseObject({
      source_name: z.string().optional(),
      external_id: z.string().optional(),
      url: z.string().optional(),
    }),
    { max: MAX_VALUES },
  ).optional(),
  relationship_type: z.string().optional(),
  source_ref: z.string().optional(),
  target_ref: z.string().optional(),
  dst_port: z.number().optional(),
});

export type SubmittedObject = z.output<typeof submitted>;

/** Twice the longest page of another installation. */
export const MAX_SUBMITTED = 2000;

const FORM =
  'The body must be an envelope with a list "objects" of STIX 2.1 objects, each with "id" and "type".';

export function boundRefusal(rule: string): Problem {
  return refusal(`The envelope must have ${rule}. Send the other objects in another one.`);
}

/** The units of the rate limit that a submission costs: one for each object, refused or not. */
export function unitsOf(body: unknown): number {
  return Math.min(Math.max(1, objectsOf(body)?.length ?? 0), MAX_SUBMITTED);
}

/** Also accepts a bundle, which has the same list. */
export async function readEnvelope(body: unknown): Promise<readonly SubmittedObject[]> {
  const objects = objectsOf(body);
  if (objects === undefined || objects.length === 0) throw emptyEnvelope();
  if (objects.length > MAX_SUBMITTED)
    throw refusal(
      `The envelope must have at most ${MAX_SUBMITTED} objects. Send the others in another one.`,
    );
  const read: SubmittedObject[] = [];
  for (const [index, object] of objects.entries()) {
    const { data, error } = submitted.safeParse(object);
    if (error !== undefined)
      throw refusal(`${FORM} Wrong: ${['objects', index, ...pathOf(error)].join('.')}.`);
    read.push(data);
    await nextObject();
  }
  if (!read.some(({ type }) => type === 'indicator'))
    throw refusal(
      'The envelope has no indicator, so nothing of it would be stored. Send indicators, together with the objects that describe them.',
    );
  return read;
}

function objectsOf(body: unknown): readonly unknown[] | undefined {
  const isObject = typeof body === 'object' && body !== null && 'objects' in body;
  return isObject && Array.isArray(body.objects) ? body.objects : undefined;
}

function pathOf({ issues: [issue] }: z.ZodError): readonly PropertyKey[] {
  return issue?.path ?? [];
}

export function emptyEnvelope(): Problem {
  return refusal(`${FORM} Wrong: the body.`);
}

function refusal(problem: string): Problem {
  return invalid('invalid_envelope', [problem]);
}

export function versionText({ modified, created }: SubmittedObject): string {
  return modified ?? created ?? '';
}
