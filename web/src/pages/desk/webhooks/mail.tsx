import { useQuery } from '@tanstack/react-query';
import type { Mail } from '../../../../../src/client/wire.ts';
import { client } from '../../../api/client.ts';
import { mailQuery } from '../../../api/webhooks.ts';
import { Button } from '../../../components/button.tsx';
import { Time } from '../../../components/marks/time.tsx';
import { Section } from '../../../components/page.tsx';
import { Empty, Failure, Skeleton } from '../../../components/states.tsx';
import { visible } from '../../../text/visible.ts';
import { Deliveries } from './deliveries.tsx';
import { useChange } from './webhook-changes.ts';
import styles from './webhooks.module.css';

/** The address that new reports are mailed to, which an administrator sets, and the log. */
export function MailOfFeed({ service }: { readonly service: string }) {
  const { data: mail, error, refetch } = useQuery(mailQuery(service));
  return (
    <Section title="Mail">
      <p className={styles['note']}>
        New reports can be mailed to your desk. An administrator sets the address.
      </p>
      {error !== null && mail === undefined && (
        <Failure error={error} onRetry={() => void refetch()} />
      )}
      {error === null && mail === undefined && <Skeleton lines={2} label="Loading mail" />}
      {mail === null && (
        <Empty title="No mail">
          <p>
            If your desk works with mail, ask an administrator to send new reports to its address,
            as XARF or ARF, one by one or once a day.
          </p>
        </Empty>
      )}
      {mail && <MailCard mail={mail} />}
    </Section>
  );
}

function MailCard({ mail }: { readonly mail: Mail }) {
  const { service, to, format, delivery, createdAt } = mail;
  const run = useChange(service);
  return (
    <article className={styles['card']} aria-label={`Mail to ${visible(to)}`}>
      <header className={styles['cardHead']}>
        <div className={styles['subject']}>
          <h3>{visible(to)}</h3>
          <MailState mail={mail} />
        </div>
        <div className={styles['buttons']}>
          <Button onClick={() => run(() => client.testMail(service), 'A test mail is on its way.')}>
            Test
          </Button>
        </div>
      </header>
      <p className={styles['note']}>
        {format === 'xarf' ? 'XARF 4' : 'ARF'} ·{' '}
        {delivery === 'each' ? 'one mail per report' : 'once a day, together'} · set{' '}
        <Time at={createdAt} />
      </p>
      <Deliveries service={service} webhook={undefined} />
    </article>
  );
}

function MailState({ mail: { failingSince } }: { readonly mail: Mail }) {
  if (failingSince === null)
    return (
      <p className={styles['good']}>
        <span aria-hidden>✓</span> active
      </p>
    );
  return (
    <p className={styles['warning']}>
      <span aria-hidden>△</span> every attempt fails; the first failed <Time at={failingSince} />
    </p>
  );
}
