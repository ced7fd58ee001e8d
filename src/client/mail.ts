import { Calls } from './calls.ts';
import { FeedClient } from './feeds.ts';
import { query } from './query.ts';
import type { Transport } from './transport.ts';
import type { MailDeliveryList, QueuedDelivery, ShownMail } from './wire.ts';

/** Mail of a feed, for its owners. */
export class MailClient extends FeedClient {
  readonly #calls: Calls;

  constructor(transport: Transport) {
    super(transport);
    this.#calls = new Calls(transport);
  }

  /** Where new reports are mailed to, for owners. An administrator sets it. */
  showMail(service: string): Promise<ShownMail> {
    return this.#calls.get(mailPath(service));
  }

  /** Newest first, one for each report. */
  listMailDeliveries(
    service: string,
    page: { readonly state?: string; readonly limit?: number; readonly before?: string } = {},
  ): Promise<MailDeliveryList> {
    return this.#calls.get(`${mailPath(service, 'deliveries')}${query(page)}`);
  }

  /** Queues a mail without a report; for owners and administrators. */
  testMail(service: string): Promise<QueuedDelivery> {
    return this.#calls.change('POST', mailPath(service, 'test'));
  }

  replayMail(service: string, delivery: string): Promise<QueuedDelivery> {
    return this.#calls.change('POST', mailPath(service, 'deliveries', delivery, 'replay'));
  }
}

function mailPath(service: string, ...rest: readonly string[]): string {
  return `/feed/${[service, 'mail', ...rest].map(encodeURIComponent).join('/')}`;
}
