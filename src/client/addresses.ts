import { Calls } from './calls.ts';
import { query } from './query.ts';
import { SessionClient } from './sessions.ts';
import type { Transport } from './transport.ts';
import type { FoundRoute, RelatedToAddress, ShownC2, ShownHost } from './wire.ts';

/** What is known of C2s and hosts. Does not use the quota. */
export class AddressClient extends SessionClient {
  readonly #calls: Calls;

  constructor(transport: Transport) {
    super(transport);
    this.#calls = new Calls(transport);
  }

  /** The service that answers for `<host>:<port>` or a host. */
  route(c2: string): Promise<FoundRoute> {
    return this.#calls.get(`/api/route${query({ c2 })}`);
  }

  /** What is known of `<host>:<port>` over all feeds and samples. */
  showAddress(c2: string): Promise<ShownC2> {
    return this.#calls.get(`/api/c2${query({ c2 })}`);
  }

  /** The same over all ports of a host. */
  showHost(host: string): Promise<ShownHost> {
    return this.#calls.get(`/api/hosts${query({ host })}`);
  }

  /** What belongs to `<host>:<port>` or a host: files, C2s of their settings, C2s of the host. */
  showRelated(c2: string): Promise<RelatedToAddress> {
    return this.#calls.get(`/api/related${query({ c2 })}`);
  }
}
