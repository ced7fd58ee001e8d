import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { MINUTE_MS, SECOND_MS } from '../../domain/duration.ts';
import type { MailResult } from '../../domain/mail/mail-retries.ts';
import type { MailMessage, OutgoingMail } from '../../ports/outgoing-mail.ts';
import { formatMessage } from './mime-message.ts';

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`smtps`); else STARTTLS is required. */
  readonly secure: boolean;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
  /** Certificates to trust instead of those of the system. */
  readonly ca?: string;
}

/** RFC 5321, section 4.5.3.2, asks for minutes; a mail server for submission answers in seconds. */
const CONNECTION_TIMEOUT_MS = 30 * SECOND_MS;
const SOCKET_TIMEOUT_MS = 2 * MINUTE_MS;
/** The server wants other credentials or encryption: that is for the operator to repair. */
const SETTINGS_CODES: readonly number[] = [530, 534, 535, 538];

/** A failure of nodemailer, which names its kind and quotes the code of the server. */
interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
}

/** Sends each mail over a connection of its own. */
export class SmtpMail implements OutgoingMail {
  readonly from: string;
  readonly #server: SmtpServer;

  constructor(server: SmtpServer, from: string) {
    this.#server = server;
    this.from = from;
  }

  async send(mail: MailMessage, signal: AbortSignal): Promise<MailResult | 'interrupted'> {
    const message = await formatMessage(mail, this.from);
    if (signal.aborted) return 'interrupted';
    const connection = new SMTPConnection(connectionOptions(this.#server, this.from));
    const interrupt = () => connection.close();
    signal.addEventListener('abort', interrupt);
    try {
      const code = await this.#transmit(connection, mail.to, message);
      return { kind: 'accepted', code };
    } catch (error) {
      return signal.aborted ? 'interrupted' : toResult(error as SmtpError);
    } finally {
      signal.removeEventListener('abort', interrupt);
      connection.close();
    }
  }

  /** Returns the code of the server's answer to the message. */
  #transmit(connection: SMTPConnection, to: string, message: Buffer): Promise<number> {
    const { credentials } = this.#server;
    return new Promise((resolve, reject) => {
      // `close` never calls back the callback that waits.
      connection.once('end', () => reject(new Error('the connection ended')));
      connection.on('error', reject);
      const send = () =>
        connection.send({ from: this.from, to: [to] }, message, (error, info) => {
          if (error) return reject(error);
          resolve(Number(info?.response?.slice(0, 3)) || 250);
        });
      connection.connect((error) => {
        if (error) return reject(error);
        if (credentials === undefined) return send();
        const { user, password: pass } = credentials;
        connection.login({ credentials: { user, pass } }, (refusal) =>
          refusal ? reject(refusal) : send(),
        );
      });
    });
  }
}

function connectionOptions({ host, port, secure, ca }: SmtpServer, from: string) {
  return {
    host,
    port,
    secure,
    // A server of this machine is reached without a network, and rarely has a valid certificate.
    requireTLS: !secure && !isLoopback(host),
    ignoreTLS: !secure && isLoopback(host),
    name: from.slice(from.lastIndexOf('@') + 1),
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    greetingTimeout: CONNECTION_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    dnsTimeout: CONNECTION_TIMEOUT_MS,
    allowInternalNetworkInterfaces: true,
    tls: { minVersion: 'TLSv1.2' as const, ...(ca !== undefined && { ca }) },
  };
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(host);
}

const FAILURES: Readonly<Record<string, string>> = {
  EAUTH: 'The mail server did not accept the credentials of this service.',
  EDNS: 'The name of the mail server has no address.',
  ETLS: 'No valid TLS connection to the mail server could be made.',
  ETIMEDOUT: 'The mail server took too long.',
};

/** Only codes are kept: the texts of a mail server are not for owners of feeds. */
function toResult({ code, responseCode, message }: SmtpError): MailResult {
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  // Without a code the mail exceeds the size that the server announced.
  if (code === 'EMESSAGE' && responseCode === undefined) return { kind: 'refused', code: 552 };
  const isFinal = isAboutMail && responseCode !== undefined && responseCode >= 500;
  if (isFinal && !SETTINGS_CODES.includes(responseCode))
    return { kind: 'refused', code: responseCode };
  const error =
    FAILURES[isAboutCertificate(code, message) ? 'ETLS' : (code ?? '')] ??
    (responseCode === undefined
      ? 'The mail server could not be reached, or ended the connection.'
      : `The mail server answered ${responseCode}.`);
  return { kind: 'failed', code: responseCode, error };
}

/** Nodemailer replaces the code of such an error by that of all errors of a socket. */
function isAboutCertificate(code: string | undefined, message: string): boolean {
  return code === 'ESOCKET' && /\bcertificate\b/.test(message);
}
