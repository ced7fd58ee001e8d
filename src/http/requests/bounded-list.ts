import { z } from 'zod';

/**
 * The items of a list, or `undefined` if the value is no list or has more of them. Every list of a
 * caller is counted here before anything is done with its items.
 */
export function itemsUpTo(max: number, value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) && value.length <= max ? value : undefined;
}

/** An invalid item costs ten times as much as a valid one: those of one part are reported. */
const PART = 50;

/**
 * The schema of a list. Unlike that of zod, it reads no item of a list that is too long, and none
 * after a part with an invalid one. Zod adds an issue for each.
 */
export function listOf<Item extends z.ZodType>(
  item: Item,
  { min = 0, max }: { readonly min?: number; readonly max: number },
) {
  const part = z.array(item);
  return z
    .unknown()
    .transform((value, { issues }): z.output<Item>[] => {
      const items = itemsUpTo(max, value);
      if (items === undefined || items.length < min) {
        issues.push({ code: 'custom', input: value });
        return z.NEVER;
      }
      const read: z.output<Item>[] = [];
      for (let start = 0; start < items.length; start += PART) {
        const { data, error } = part.safeParse(items.slice(start, start + PART));
        if (error !== undefined) {
          for (const { path } of error.issues)
            issues.push({ code: 'custom', input: value, path: [start + Number(path[0])] });
          return z.NEVER;
        }
        read.push(...data);
      }
      return read;
    })
    .meta(describe(item, min, max));
}

/** The transformation hides the schema from the OpenAPI document. */
function describe(item: z.ZodType, minItems: number, maxItems: number) {
  const { $schema, ...items } = z.toJSONSchema(item, { io: 'input' });
  return { type: 'array', items, ...(minItems > 0 && { minItems }), maxItems };
}
