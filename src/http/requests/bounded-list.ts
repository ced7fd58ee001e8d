import { z } from 'zod';

/**
 * The items of a list, or `undefined` if the value is no list or has more of them. Every list of a
 * caller is counted here before anything is done with its items.
 */
export function itemsUpTo(max: number, value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) && value.length <= max ? value : undefined;
}

/**
 * The schema of a list. Zod would check every item of a longer list, and add an issue for each,
 * before it checks the length.
 */
export function listOf<Item extends z.ZodType>(
  item: Item,
  { min = 0, max }: { readonly min?: number; readonly max: number },
) {
  const list = z.array(item).max(max);
  return z.preprocess(
    (value, context) => {
      if (!Array.isArray(value) || itemsUpTo(max, value) !== undefined) return value;
      context.addIssue({ code: 'too_big', origin: 'array', maximum: max, input: value.length });
      return z.NEVER;
    },
    min === 0 ? list : list.min(min),
  );
}
