import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Webhook } from '../../../../../src/client/wire.ts';
import { webhooksQuery } from '../../../api/webhooks.ts';
import { Button } from '../../../components/button.tsx';
import { Section } from '../../../components/page.tsx';
import { Empty, Failure, Skeleton } from '../../../components/states.tsx';
import { MailOfFeed } from './mail.tsx';
import { WebhookCard } from './webhook-card.tsx';
import styles from './webhooks.module.css';

const WebhookDialog = lazy(() => import('./webhook-dialog.tsx'));

/** The webhooks of a feed with their log of deliveries. */
export default function Webhooks({ service }: { readonly service: string }) {
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
