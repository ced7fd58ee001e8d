export interface Answer {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
  /** Why it is not the response of a server whose store is unavailable. */
  readonly flaw: string | undefined;
}

/** Returns `undefined` if the response is missing or incomplete. */
export async function sendRequest(
  url: string,
  token: string,
  call: RequestInit = {},
): Promise<Answer | undefined> {
  try {
    const headers = { ...call.headers, authorization: token };
    const answer = await fetch(url, { ...call, headers });
    const text = await answer.text();
    return { status: answer.status, json: JSON.parse(text), flaw: flawOf(answer, text) };
  } catch {
    return undefined;
  }
}

/** The response must have status 503 and tell the client when to retry. */
function flawOf({ status, headers }: Response, text: string): string | undefined {
  const isUnavailable =
    status === 503 &&
    headers.get('x-error-code') === 'unavailable' &&
    Number(headers.get('retry-after')) > 0 &&
    /^\{"error":"[^"]+","successful":false\}$/.test(text);
  return isUnavailable
    ? undefined
    : `${status} ${headers.get('x-error-code')}: ${text.slice(0, 200)}`;
}
