import { readBatch } from './batch.ts';
import { quoteKey } from './keys.ts';
import type { Call, Transport } from './transport.ts';
import type { CreatedReport, EventLine, TaxiiStatus } from './wire.ts';

type Document = Readonly<Record<string, unknown>>;

/** Creating reports from the documents of other tools. */
export class IntakeClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Adds a botnet report in XARF 4 or 3. Its `report_id` makes a repetition create nothing. */
  async createFromXarf(
    service: string,
    report: Document,
    idempotencyKey?: string,
  ): Promise<CreatedReport> {
    const { body } = await this.#transport.send<CreatedReport>({
      method: 'POST',
      path: `/feed/${encodeURIComponent(service)}/xarf`,
      retry: retryOf(report['report_id'] ?? idempotencyKey),
      body: report,
      headers: keyHeader(idempotencyKey),
    });
    return body;
  }

  /**
   * Adds the reports of a MISP event, at most 1000, and yields the result of each as the server
   * sends it. The UUIDs of its attributes make a repetition create nothing.
   */
  async createFromMisp(
    service: string,
    event: Document,
    idempotencyKey?: string,
  ): Promise<AsyncGenerator<EventLine, void>> {
    const { uuid } = (event['Event'] ?? event) as Document;
    const { body } = await this.#transport.open({
      method: 'POST',
      path: `/feed/${encodeURIComponent(service)}/misp`,
      retry: retryOf(uuid ?? idempotencyKey),
      body: event,
      headers: { accept: 'application/x-ndjson', ...keyHeader(idempotencyKey) },
    });
    return readBatch<EventLine>(body);
  }

  /**
   * Adds the reports of a STIX bundle or a TAXII envelope. The answer says what became of each
   * object. Sending the same versions of the objects again creates nothing.
   */
  async createFromStix(service: string, bundle: Document): Promise<TaxiiStatus> {
    const { body } = await this.#transport.send<TaxiiStatus>({
      method: 'POST',
      path: `/taxii2/feeds/collections/${encodeURIComponent(service)}/objects/`,
      retry: 'always',
      body: bundle,
      headers: { accept: TAXII_TYPE, 'content-type': TAXII_TYPE },
    });
    return body;
  }
}

const TAXII_TYPE = 'application/taxii+json;version=2.1';

/** Without an id, a repetition would create a second report. */
function retryOf(id: unknown): Call['retry'] {
  return id === undefined ? 'unprocessed' : 'always';
}

function keyHeader(key: string | undefined): Readonly<Record<string, string>> {
  return key === undefined ? {} : { 'idempotency-key': quoteKey(key) };
}
