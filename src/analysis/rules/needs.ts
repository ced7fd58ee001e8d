/**
 * What must be true of a content if a rule matches it. It is weaker than the condition: it may hold
 * for contents that the rule does not match, and never fails for one that it matches.
 */
export type Need =
  /** Nothing is known. */
  | { readonly kind: 'nothing' }
  /** A pattern of the rule occurs. */
  | { readonly kind: 'pattern'; readonly name: string }
  /** Bytes at an offset, as hexadecimal digits. */
  | { readonly kind: 'bytes'; readonly offset: number; readonly hex: string }
  /** At least that many of the needs are met. */
  | { readonly kind: 'some'; readonly count: number; readonly of: readonly Need[] };

export const NOTHING: Need = { kind: 'nothing' };

export function allOf(needs: readonly Need[]): Need {
  const known = needs.filter(({ kind }) => kind !== 'nothing');
  if (known.length <= 1) return known[0] ?? NOTHING;
  return { kind: 'some', count: known.length, of: known };
}

export function someOf(count: number, needs: readonly Need[]): Need {
  if (count <= 0 || needs.some(({ kind }) => kind === 'nothing')) return NOTHING;
  const [only] = needs;
  return needs.length === 1 && count === 1 && only ? only : { kind: 'some', count, of: needs };
}

/** What is known of a content; without `hasBytes`, all bytes are as needed. */
export interface Known {
  hasPattern(name: string): boolean;
  hasBytes?(offset: number, hex: string): boolean;
}

export function isMet(need: Need, known: Known): boolean {
  switch (need.kind) {
    case 'nothing':
      return true;
    case 'pattern':
      return known.hasPattern(need.name);
    case 'bytes':
      return known.hasBytes?.(need.offset, need.hex) ?? true;
    case 'some': {
      let missing = need.count;
      for (const one of need.of) if (missing > 0 && isMet(one, known)) missing -= 1;
      return missing === 0;
    }
  }
}
