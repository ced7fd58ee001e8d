import type { MailResult } from '../domain/mail/mail-retries.ts';

/** Sends mail through the configured server, the only one that is ever connected to. */
export interface OutgoingMail {
  /** The address of the sender. */
  readonly from: string;
  /**
   * Sends the mail once. It never rejects: a failure is a result. `interrupted`: the signal
   * aborted before the server accepted the mail.
   */
  send(mail: MailMessage, signal: AbortSignal): Promise<MailResult | 'interrupted'>;
}

export interface MailMessage {
  /** Before the `@` of the Message-ID: the same for every attempt. */
  readonly id: string;
  readonly to: string;
  /** Printable ASCII. */
  readonly subject: string;
  readonly date: Date;
  /** `report`: a feedback report (RFC 5965); `mixed`: independent parts. */
  readonly kind: 'report' | 'mixed';
  readonly parts: readonly MailPart[];
}

export interface MailPart {
  readonly contentType: string;
  readonly content: string;
  /** A part that is not `text/*` uses `base64` if it has characters outside of ASCII. */
  readonly encoding: 'base64' | 'quoted-printable' | '7bit';
  /** The file name of an attachment: letters, digits, `-` and `.`. */
  readonly filename?: string;
}
