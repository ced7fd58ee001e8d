import type { Contact } from '../../client/wire.ts';

/** `ngrok (ngrok.io): abuse@ngrok.com, https://…; as of 2026-01-31`. */
function contactText({ name, mail, form, suffix, range, checkedAt }: Contact): string {
  const covered = suffix ?? range;
  const ways = [mail, form].filter((way) => way !== undefined).join(', ');
  return `${name}${covered === undefined ? '' : ` (${covered})`}: ${ways || 'neither mail nor form is known'}; as of ${checkedAt.slice(0, 10)}`;
}

/** A row for each contact. The service is left out: its feed takes the reports. */
export function contactRows(contacts: readonly Contact[]): readonly (readonly [string, string])[] {
  return contacts
    .filter(({ source }) => source !== 'service')
    .map((contact) => [contact.source, contactText(contact)]);
}
