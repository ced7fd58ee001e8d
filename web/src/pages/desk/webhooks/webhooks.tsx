import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Webhook } from '../../../../../src/client/wire.ts';
import { mailQuery, webhooksQuery } from '../../../api/webhooks.ts';
import { Button } from '../../../components/button.tsx';
import { Time } from '../../../components/marks/time.tsx';
import { Section } from '../../../components/page.tsx';
import { Empty, Failure, Skeleton } from '../../../components/states.tsx';
import { visible } from '../../../text/visible.ts';
import { Deliveries } from './deliveries.tsx';
import { WebhookCard } from './webhook-card.tsx';
import styles from './webhooks.module.css';

const WebhookDialog = lazy(() => import('./webhook-dialog.tsx'));

/** Where an administrator lets new reports be mailed to, if anywhere, and the log. */
function MailOfFeed({ service }: { readonly service: string }) {
  const { data: mail } = useQuery(mailQuery(service));
  if (mail === undefined || mail === null) return null;
  const { to, format, delivery, failingSince } = mail;
  return (
    <Section title="Mail">
      <p className={styles['note']}>
        New reports are mailed to {visible(to)} as {format === 'xarf' ? 'XARF' : 'ARF'},{' '}
        {delivery === 'each' ? 'one by one' : 'once a day'}. An administrator can change this.
        {failingSince !== null && (
          <>
            {' '}
            It has been failing since <Time at={failingSince} />.
          </>
        )}
      </p>
      <Deliveries service={service} webhook={undefined} />
    </Section>
  );
}

/** The webhooks of a feed with their log of deliveries. */
export function Webhooks({ service }: { readonly service: string }) {
  return (
    <>
      <WebhooksOfFeed service={service} />
      <MailOfFeed service={service} />
    </>
  );
}

function WebhooksOfFeed({ service }: { readonly service: string }) {
  const { data, error, refetch } = useQuery(webhooksQuery(service));
  // `undefined`: closed; `null`: a new one; else the one that is replaced.
  const [edited, setEdited] = useState<Webhook | null>();
  return (
    <Section
      title="Webhooks"
      aside={
        <Button look="primary" onClick={() => setEdited(null)}>
          <Plus aria-hidden /> Add a webhook
        </Button>
      }
    >
      <p className={styles['note']}>
        Each change of the feed is sent to a URL of yours, signed by the Standard Webhooks
        specification. A failed delivery is repeated for three days.
      </p>
      {error !== null && data === undefined && (
        <Failure error={error} onRetry={() => void refetch()} />
      )}
      {error === null && data === undefined && <Skeleton lines={4} label="Loading webhooks" />}
      {data?.length === 0 && (
        <Empty title="No webhook yet">
          <p>With one your ticket system learns of each report within seconds.</p>
        </Empty>
      )}
      {data?.map((webhook) => (
        <WebhookCard key={webhook.id} webhook={webhook} onReplace={() => setEdited(webhook)} />
      ))}
      {edited !== undefined && (
        <Suspense fallback={null}>
          <WebhookDialog
            service={service}
            replaced={edited ?? undefined}
            onClose={() => setEdited(undefined)}
          />
        </Suspense>
      )}
    </Section>
  );
}
