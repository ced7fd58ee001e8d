/** The members of a JSON object, of which nothing is known yet. */
export type Members = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The text of a member; empty if it has none. A number is one too: documents have versions and
 * ports in both forms. `String` would fail with `{"toString":1}`, and with deeply nested lists.
 */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
