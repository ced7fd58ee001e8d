export interface Answer {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
  /** What is wrong with it as a refusal of a service that cannot write or read now. */
  readonly flaw: string | undefined;
}

/** `undefined` where the answer did not come, or not whole. */
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

/** A caller must learn from it that trying again is right, and when. */
function flawOf({ status, headers }: Response, text: string): string | undefined {
  const isOurs =
    status === 503 &&
    headers.get('x-error-code') === 'unavailable' &&
    Number(headers.get('retry-after')) > 0 &&
    /^\{"error":"[^"]+","successful":false\}$/.test(text);
  return isOurs ? undefined : `${status} ${headers.get('x-error-code')}: ${text.slice(0, 200)}`;
}
