import { useQuery } from '@tanstack/react-query';
import type { Contact } from '../../../../src/client/wire.ts';
import { routeQuery } from '../../api/files.ts';
import { mailLink } from '../../text/mail-link.ts';
import { visible } from '../../text/visible.ts';
import { Section } from '../page.tsx';
import { Failure, Skeleton } from '../states.tsx';
import styles from './contacts.module.css';

interface Props {
  /** `host:port`, or a host. */
  readonly address: string;
}

/** Everybody who answers for an address, the one to ask first. */
export function WhoAnswers({ address }: Props) {
  const { data, error, refetch } = useQuery(routeQuery(address));
  return (
    <Section title="Who answers">
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Skeleton lines={2} label="Loading who answers" />}
      {data !== undefined && <ContactList contacts={data.contacts ?? []} address={address} />}
    </Section>
  );
}

const SOURCES: Readonly<Record<Contact['source'], string>> = {
  service: 'has declared',
  directory: 'runs, by the directory of providers,',
  network: 'holds, by the registry of the network,',
  registrar: 'is the registrar of',
};

function ContactList({ contacts, address }: Props & { readonly contacts: readonly Contact[] }) {
  if (contacts.length === 0)
    return (
      <p className={styles['quiet']}>
        Nobody is known: no service has declared it, and the directory has no provider for it.
      </p>
    );
  return (
    <ul className={styles['contacts']}>
      {contacts.map((contact) => (
        <li key={`${contact.source} ${contact.name}`}>
          <span>
            <b>{visible(contact.name)}</b>{' '}
            <span className={styles['quiet']}>{SOURCES[contact.source]}</span>{' '}
            <code>{contact.suffix ?? contact.range}</code>
          </span>
          <Ways contact={contact} address={address} />
          <span className={styles['quiet']}>as of {contact.checkedAt.slice(0, 10)}</span>
        </li>
      ))}
    </ul>
  );
}

/** How to reach a contact. */
function Ways({ contact: { mail, form }, address }: Props & { readonly contact: Contact }) {
  return (
    <>
      {mail !== undefined && <a href={mailLink(mail, address)}>{mail}</a>}
      {form?.startsWith('https://') && (
        <a href={form} rel="noreferrer" target="_blank">
          Form for reports
        </a>
      )}
    </>
  );
}

/** The first who answers for an address that no feed has, in a few words; nothing if unknown. */
export function FirstContact({ address }: Props) {
  const { data } = useQuery(routeQuery(address));
  const [first] = data?.contacts ?? [];
  if (first === undefined) return null;
  return (
    <span className={styles['first']}>
      <span>{visible(first.name)} answers</span>
      <Ways contact={first} address={address} />
    </span>
  );
}
