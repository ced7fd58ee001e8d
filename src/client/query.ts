type Value = string | number | boolean | undefined;

/** The part of an address after its path, or nothing. A list is one parameter, given as often as it is long. */
export function query(values: Readonly<Record<string, Value | readonly Value[]>>): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    [value]
      .flat()
      .flatMap((one) => (one === undefined ? [] : [`${name}=${encodeURIComponent(one)}`])),
  );
  return given.length === 0 ? '' : `?${given.join('&')}`;
}

/** A page of a list that is read by a cursor: 100 from the beginning by default. */
export interface CursorPage {
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
}
