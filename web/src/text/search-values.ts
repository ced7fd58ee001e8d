/** Search parameters as people read and write them: plain texts, repeated for several values. */
export function parseSearch(search: string): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(search)) {
    const earlier = Object.hasOwn(values, name) ? values[name] : undefined;
    values[name] = earlier === undefined ? value : [earlier, value].flat();
  }
  return values;
}

export function stringifySearch(values: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    for (const one of [value].flat())
      if (one !== undefined && one !== '') search.append(name, String(one));
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

/** A parameter that is given once. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A parameter that may be repeated. */
export function texts(value: unknown): readonly string[] {
  return [value].flat().filter((one): one is string => typeof one === 'string' && one !== '');
}
