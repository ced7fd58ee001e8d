import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/**
 * A backup is a folder:
 *
 *   manifest.json   the contents, with the digests of the other two files; written last
 *   rapsheet.db     one state of the whole store
 *   samples.txt     a line for each sample: SHA-256 and size
 *   samples/        the samples, encrypted like those of the service: ab/cd/<sha256>
 *
 * The last two are missing if samples were left out. Samples need no digest here: their name is
 * one.
 */
export const MANIFEST = 'manifest.json';
export const DATABASE = 'rapsheet.db';
export const SAMPLES_LIST = 'samples.txt';
export const SAMPLES = 'samples';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0);

const manifest = z.object({
  format: z.literal('rapsheet-backup'),
  version: z.literal(1),
  madeAt: z.iso.datetime(),
  /** The migrations applied to the database. */
  schema: z.array(z.string()),
  database: z.object({ sizeBytes: count, sha256 }),
  samples: z.object({ count, sizeBytes: count, sha256 }).nullable(),
});

export type Manifest = z.output<typeof manifest>;

export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch((cause: unknown) => {
    throw new Error(`${folder} is not a complete backup: its ${MANIFEST} cannot be read`, {
      cause,
    });
  });
  const read = manifest.safeParse(parseJson(text));
  if (!read.success)
    throw new Error(`${join(folder, MANIFEST)} is not a manifest that this version can read`);
  return read.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
