import { defang } from './defang.ts';

/**
 * A link that opens a mail about an address. Neither the recipient nor the subject can add another
 * header: all that has a meaning in such a link is encoded.
 */
export function mailLink(mail: string, address: string): string {
  const recipient = mail.split('@').map(encodeURIComponent).join('@');
  return `mailto:${recipient}?subject=${encodeURIComponent(`Abuse report: ${defang(address)}`)}`;
}
