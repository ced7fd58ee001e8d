import { Calls } from './calls.ts';
import { MailClient } from './mail.ts';
import { query } from './query.ts';
import type { Transport } from './transport.ts';
import type {
  AddedWebhook,
  AddWebhookBody,
  ChangeWebhookBody,
  CheckedOwnership,
  CheckOwnershipBody,
  DeliveryList,
  Done,
  Ownership,
  QueuedDelivery,
  RotatedWebhook,
  WebhookAnswer,
  WebhookList,
  WebhookPage,
} from './wire.ts';

export interface WebhookListOptions {
  readonly service?: string | undefined;
  /** The id or the name of the owner. */
  readonly account?: string | undefined;
  readonly limit?: number | undefined;
  /** The last id of the previous page. */
  readonly after?: string | undefined;
}

/** Webhooks and proofs of a feed, for its owners and for administrators. */
export class WebhookClient extends MailClient {
  readonly #calls: Calls;

  constructor(transport: Transport) {
    super(transport);
    this.#calls = new Calls(transport);
  }

  /** Only this response contains the signing secret. */
  addWebhook(service: string, body: AddWebhookBody): Promise<AddedWebhook> {
    return this.#calls.change('POST', webhookPath(service), body);
  }

  listWebhooks(service: string): Promise<WebhookList> {
    return this.#calls.get(webhookPath(service));
  }

  /** For administrators: the webhooks of all feeds, sorted by id. */
  listAllWebhooks(options: WebhookListOptions = {}): Promise<WebhookPage> {
    return this.#calls.get(`/admin/webhooks${query({ ...options })}`);
  }

  /** For administrators: changes a webhook of any owner. */
  changeWebhook(id: string, body: ChangeWebhookBody): Promise<WebhookAnswer> {
    return this.#calls.change('PATCH', `/admin/webhooks/${encodeURIComponent(id)}`, body);
  }

  showWebhook(service: string, id: string): Promise<WebhookAnswer> {
    return this.#calls.get(webhookPath(service, id));
  }

  deleteWebhook(service: string, id: string): Promise<Done> {
    return this.#calls.delete(webhookPath(service, id));
  }

  /** Deliveries are signed with both secrets for a day. */
  rotateWebhook(service: string, id: string): Promise<RotatedWebhook> {
    return this.#calls.change('POST', webhookPath(service, id, 'rotate'));
  }

  enableWebhook(service: string, id: string): Promise<WebhookAnswer> {
    return this.#calls.change('POST', webhookPath(service, id, 'enable'));
  }

  testWebhook(service: string, id: string): Promise<QueuedDelivery> {
    return this.#calls.change('POST', webhookPath(service, id, 'test'));
  }

  /** Newest first. */
  listDeliveries(
    service: string,
    id: string,
    page: { readonly state?: string; readonly limit?: number; readonly before?: string } = {},
  ): Promise<DeliveryList> {
    return this.#calls.get(`${webhookPath(service, id, 'deliveries')}${query(page)}`);
  }

  /** What the service declares, what of it is proven, and the text to publish for the rest. */
  showOwnership(service: string): Promise<Ownership> {
    return this.#calls.get(ownershipPath(service));
  }

  /**
   * Checks the proof of a declared host now. Not retried: the server refuses a second check within
   * seconds.
   */
  checkOwnership(service: string, body: CheckOwnershipBody): Promise<CheckedOwnership> {
    const path = ownershipPath(service, 'check');
    return this.#calls.call({ method: 'POST', path, retry: 'never', body });
  }

  replayDelivery(service: string, id: string, delivery: string): Promise<QueuedDelivery> {
    return this.#calls.change('POST', webhookPath(service, id, 'deliveries', delivery, 'replay'));
  }
}

function webhookPath(service: string, ...rest: readonly string[]): string {
  return `/feed/${[service, 'webhooks', ...rest].map(encodeURIComponent).join('/')}`;
}

function ownershipPath(service: string, ...rest: readonly string[]): string {
  return `/feed/${[service, 'ownership', ...rest].map(encodeURIComponent).join('/')}`;
}
