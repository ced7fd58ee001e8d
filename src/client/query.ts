type Value = string | number | boolean | undefined;

/** The query string with its `?`, or an empty string. An array becomes a repeated parameter. */
export function query(values: Readonly<Record<string, Value | readonly Value[]>>): string {
  const parameters = Object.entries(values).flatMap(([name, value]) =>
    [value]
      .flat()
      .flatMap((one) => (one === undefined ? [] : [`${name}=${encodeURIComponent(one)}`])),
  );
  return parameters.length === 0 ? '' : `?${parameters.join('&')}`;
}

export interface PageLimit {
  readonly limit?: number | undefined;
}

/** A page of a list with a cursor; the first 100 entries by default. */
export interface CursorPage extends PageLimit {
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** Days as YYYY-MM-DD; `day` excludes the other two. A page has 500 entries by default. */
export interface UsageRequest extends CursorPage {
  readonly day?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}
