import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { Webhook } from '../../../../../src/client/wire.ts';
import { client } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { Time } from '../../../components/marks/time.tsx';
import { MenuButton } from '../../../components/menu/menu-button.tsx';
import { visible } from '../../../text/visible.ts';
import { Deliveries } from './deliveries.tsx';
import { useChange } from './webhook-changes.ts';
import styles from './webhooks.module.css';

const Question = lazy(() => import('../../../components/overlays/question.tsx'));
const SecretDialog = lazy(() => import('../../../components/overlays/secret-dialog.tsx'));

interface Props {
  readonly webhook: Webhook;
  readonly onReplace: () => void;
}

export function WebhookCard({ webhook, onReplace }: Props) {
  const { service, id, url, events, format, createdBy, createdAt, disabledAt } = webhook;
  const [question, setQuestion] = useState<'delete' | 'rotate'>();
  const [secret, setSecret] = useState<string>();
  // The log of a webhook that is being deleted is not refetched: the server would answer 404.
  const [isGone, setGone] = useState(false);
  const run = useChange(service);
  const remove = async () => {
    setGone(true);
    await client.deleteWebhook(service, id).catch((error: unknown) => {
      setGone(false);
      throw error;
    });
  };
  const ask = (what: 'delete' | 'rotate') => () => setQuestion(what);
  const confirm = () => {
    setQuestion(undefined);
    if (question === 'delete') run(remove, 'The webhook is deleted.');
    else run(async () => setSecret((await client.rotateWebhook(service, id)).secret));
  };
  return (
    <article className={styles['card']} aria-label={`Webhook ${visible(url)}`}>
      <header className={styles['cardHead']}>
        <div className={styles['subject']}>
          <h3>{visible(url)}</h3>
          <WebhookState webhook={webhook} />
        </div>
        <div className={styles['buttons']}>
          {disabledAt !== null && (
            <Button
              onClick={() => run(() => client.enableWebhook(service, id), 'It is enabled again.')}
            >
              Enable
            </Button>
          )}
          <Button
            onClick={() =>
              run(() => client.testWebhook(service, id), 'A test event is on its way.')
            }
          >
            Test
          </Button>
          <MenuButton
            label="More"
            groups={[
              {
                entries: [
                  { id: 'replace', label: 'Change …', onAction: onReplace },
                  { id: 'rotate', label: 'New secret …', onAction: ask('rotate') },
                  { id: 'delete', label: 'Delete …', onAction: ask('delete') },
                ],
              },
            ]}
          />
        </div>
      </header>
      <p className={styles['note']}>
        {events.map((event) => event.replace('report.', '')).join(', ')} · format {format} · added{' '}
        <Time at={createdAt} /> by {visible(createdBy)}
      </p>
      {!isGone && <Deliveries service={service} webhook={id} />}
      <Suspense fallback={null}>
        {question !== undefined && (
          <Question
            {...QUESTIONS[question]}
            onConfirm={confirm}
            onClose={() => setQuestion(undefined)}
          />
        )}
        {secret !== undefined && (
          <SecretDialog
            title="The new secret"
            secret={secret}
            what="secret"
            onClose={() => setSecret(undefined)}
          >
            <p>For a day each request is signed with the old secret as well.</p>
          </SecretDialog>
        )}
      </Suspense>
    </article>
  );
}

const QUESTIONS = {
  delete: {
    title: 'Delete this webhook?',
    text: 'Pending deliveries are not sent, and its log is removed. This cannot be undone.',
    action: 'Delete',
  },
  rotate: {
    title: 'Create a new secret?',
    text: 'Requests are signed with both secrets for a day; change the receiver until then.',
    action: 'Create',
  },
} as const;

function WebhookState({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const { disabledAt, disabledReason, suspendedReason, failingSince } = webhook;
  if (disabledAt !== null)
    return (
      <p className={styles['bad']}>
        <span aria-hidden>✗</span> disabled <Time at={disabledAt} />
        {disabledReason !== null && `: ${visible(disabledReason)}`}
      </p>
    );
  if (suspendedReason !== null)
    return (
      <p className={styles['bad']}>
        <span aria-hidden>✗</span> suspended: {visible(suspendedReason)}
      </p>
    );
  if (failingSince !== null)
    return (
      <p className={styles['warning']}>
        <span aria-hidden>△</span> every attempt fails; the first failed <Time at={failingSince} />
      </p>
    );
  return (
    <p className={styles['good']}>
      <span aria-hidden>✓</span> active
    </p>
  );
}
