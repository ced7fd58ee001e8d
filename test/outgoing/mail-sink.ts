import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

const FIXTURES = join(import.meta.dirname, '../fixtures/outgoing');
export const CERTIFICATE = readFileSync(join(FIXTURES, 'certificate.pem'), 'utf8');
const KEY = readFileSync(join(FIXTURES, 'key.pem'), 'utf8');

export interface SunkMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly source: string;
  /** Whether it came over TLS. */
  readonly isSecure: boolean;
  readonly parsed: ParsedMail;
}

/** The answer to a recipient or to the message: `undefined` accepts it. */
type Refusal = () => { readonly code: number; readonly at: 'recipient' | 'message' } | undefined;

export const accept: Refusal = () => undefined;
export const refuseWith =
  (code: number, at: 'recipient' | 'message' = 'recipient'): Refusal =>
  () => ({ code, at });

/** An SMTP server on loopback that stores mails. */
export class MailSink {
  readonly mails: SunkMail[] = [];
  readonly users: string[] = [];
  refusal: Refusal = accept;
  readonly #server: SMTPServer;
  readonly #options: SMTPServerOptions;

  constructor(options: SMTPServerOptions) {
    this.#options = options;
    this.#server = this.#create();
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  async listen(port = 0): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.on('error', (error) => {
        // A client that goes away is not a fault of the sink.
        if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') reject(error);
      });
      this.#server.listen(port, '127.0.0.1', resolve);
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #create(): SMTPServer {
    return new SMTPServer({
      authOptional: true,
      disableReverseLookup: true,
      hideSTARTTLS: true,
      closeTimeout: 100,
      onAuth: ({ username = '', password }, _session, done) => {
        this.users.push(username);
        if (password === 'right') done(null, { user: username });
        else done(new Error('no'));
      },
      onRcptTo: (_address, _session, done) => done(this.#refused('recipient')),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', async () => {
          const refused = this.#refused('message');
          if (refused !== undefined) return done(refused);
          const { mailFrom, rcptTo } = session.envelope;
          const bytes = Buffer.concat(chunks);
          this.mails.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            isSecure: session.secure,
            source: bytes.toString('latin1'),
            parsed: await simpleParser(bytes),
          });
          done();
        });
      },
      ...this.#options,
    });
  }

  #refused(at: 'recipient' | 'message'): Error | undefined {
    const refusal = this.refusal();
    if (refusal?.at !== at) return undefined;
    return Object.assign(new Error('secret text of the server'), { responseCode: refusal.code });
  }
}

export async function openMailSink(
  test: Pick<TestContext, 'after'>,
  options: SMTPServerOptions = {},
  port = 0,
): Promise<MailSink> {
  const sink = new MailSink(options);
  await sink.listen(port);
  test.after(() => sink.close());
  return sink;
}

export const TLS: SMTPServerOptions = { key: KEY, cert: CERTIFICATE };
