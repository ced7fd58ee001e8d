import type { Call, Transport } from './transport.ts';

/** The usual calls of a JSON API, each with the retry policy that suits its method. */
export class Calls {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get<Body>(path: string, retry: Call['retry'] = 'always'): Promise<Body> {
    return this.call({ method: 'GET', path, retry });
  }

  delete<Body>(path: string): Promise<Body> {
    return this.call({ method: 'DELETE', path, retry: 'always' });
  }

  /**
   * For calls that are not idempotent: sent twice, they would issue a second token or top up twice.
   */
  change<Body>(method: 'POST' | 'PATCH', path: string, body?: unknown): Promise<Body> {
    return this.call({ method, path, retry: 'unprocessed', body });
  }

  async call<Body>(call: Call): Promise<Body> {
    return (await this.#transport.send<Body>(call)).body;
  }
}
