import { decodeEvents, type StreamEvent } from './stream-events.ts';

/** A client of the server under test; `url` changes with every restart. */
export class TestClient {
  url = '';
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  async get(path: string, signal?: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    const response = await this.#request(path, {}, signal);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  }

  async send(
    method: string,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly json: Readonly<Record<string, unknown>> }> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: this.#token,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  }

  async *events(
    path: string,
    lastId: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<StreamEvent> {
    const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
    const response = await this.#request(path, headers, signal);
    if (!response.ok || response.body === null) throw new Error(`${path}: ${response.status}`);
    yield* decodeEvents(response.body);
  }

  #request(
    path: string,
    headers: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      headers: { authorization: this.#token, ...headers },
      ...(signal !== undefined && { signal }),
    });
  }
}
