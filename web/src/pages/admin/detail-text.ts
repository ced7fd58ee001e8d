/** A value of the details of an audit entry. */
export function detailText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
