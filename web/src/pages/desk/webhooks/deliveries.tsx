import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Delivery } from '../../../../../src/client/wire.ts';
import { client } from '../../../api/client.ts';
import { deliveriesQuery, mailDeliveriesQuery } from '../../../api/webhooks.ts';
import { Button } from '../../../components/button.tsx';
import { Time } from '../../../components/marks/time.tsx';
import { Failure, Skeleton } from '../../../components/states.tsx';
import { visible } from '../../../text/visible.ts';
import { useChange } from './webhook-changes.ts';
import styles from './webhooks.module.css';

interface Props {
  readonly service: string;
  /** `undefined`: the log of mail. */
  readonly webhook: string | undefined;
}

const STATES = ['', 'waiting', 'delivered', 'dead'] as const;

/** The log of deliveries, read while it is open. */
export function Deliveries(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className={styles['summary']}>Deliveries</summary>
      {isOpen && <Log {...props} />}
    </details>
  );
}

function Log(props: Props) {
  return props.webhook === undefined ? <MailLog {...props} /> : <WebhookLog {...props} />;
}

function WebhookLog({ service, webhook = '' }: Props) {
  const [state, setState] = useState<string>('');
  const query = useInfiniteQuery(deliveriesQuery(service, webhook, state));
  return <Shown service={service} webhook={webhook} {...{ state, setState, query }} />;
}

function MailLog({ service }: Props) {
  const [state, setState] = useState<string>('');
  const query = useInfiniteQuery(mailDeliveriesQuery(service, state));
  return <Shown service={service} webhook={undefined} {...{ state, setState, query }} />;
}

interface ShownProps extends Props {
  readonly state: string;
  readonly setState: (state: string) => void;
  readonly query: {
    readonly data: { readonly pages: readonly { deliveries: readonly Delivery[] }[] } | undefined;
    readonly error: Error | null;
    readonly hasNextPage: boolean;
    refetch(): Promise<unknown>;
    fetchNextPage(): Promise<unknown>;
  };
}

function Shown({ service, webhook, state, setState, query }: ShownProps) {
  const { data, error, refetch, hasNextPage, fetchNextPage } = query;
  const deliveries = (data?.pages ?? []).flatMap((page) => page.deliveries);
  return (
    <div className={styles['log']}>
      <div className={styles['states']}>
        {STATES.map((one) => (
          <Button
            key={one}
            size="small"
            look="quiet"
            aria-pressed={state === one}
            onClick={() => setState(one)}
          >
            {one === '' ? 'all' : one}
          </Button>
        ))}
      </div>
      {data === undefined && error === null && <Skeleton lines={3} label="Loading deliveries" />}
      {data === undefined && error !== null && (
        <Failure error={error} onRetry={() => void refetch()} />
      )}
      {data !== undefined && deliveries.length === 0 && (
        <p className={styles['note']}>
          No deliveries. Delivered ones are kept for 3 days, dead ones for 30.
        </p>
      )}
      {deliveries.length > 0 && (
        <Table service={service} webhook={webhook} deliveries={deliveries} />
      )}
      {hasNextPage && (
        <Button size="small" onClick={() => void fetchNextPage()}>
          Older deliveries
        </Button>
      )}
    </div>
  );
}

function Table({ service, webhook, deliveries }: Props & { deliveries: readonly Delivery[] }) {
  const run = useChange(service);
  const replay = (id: string) =>
    run(
      () =>
        webhook === undefined
          ? client.replayMail(service, id)
          : client.replayDelivery(service, webhook, id),
      'The delivery is sent again.',
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard
    <section className={styles['scroll']} aria-label="Log of deliveries" tabIndex={0}>
      <table className={styles['table']}>
        <thead>
          <tr>
            <th scope="col">{webhook === undefined ? 'Report' : 'Event'}</th>
            <th scope="col">Queued</th>
            <th scope="col">State</th>
            <th scope="col" className={styles['number']}>
              Attempts
            </th>
            <th scope="col">Answer</th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <tr key={delivery.id}>
              <th scope="row">
                <Subject {...{ service, webhook, delivery }} />
              </th>
              <td>
                <Time at={delivery.createdAt} />
              </td>
              <td className={styles[delivery.state]}>
                <State delivery={delivery} />
              </td>
              <td className={styles['number']}>{delivery.attempts}</td>
              <td className={styles['answer']}>{answerOf(delivery)}</td>
              <td>
                <Button size="small" onClick={() => replay(delivery.id)}>
                  Send again
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Subject({ service, webhook, delivery }: Props & { readonly delivery: Delivery }) {
  const { event, reportId, sequence } = delivery;
  if (reportId === null) return webhook === undefined ? 'test' : event;
  return (
    <Link to="/feeds/$service/reports/$id" params={{ service, id: reportId }}>
      {webhook === undefined ? 'report' : event} #{sequence}
    </Link>
  );
}

function State({
  delivery: { state, nextAttemptAt, finishedAt },
}: {
  readonly delivery: Delivery;
}) {
  if (state === 'waiting')
    return nextAttemptAt === null ? (
      <>waiting</>
    ) : (
      <>
        waiting, next <Time at={nextAttemptAt} />
      </>
    );
  return (
    <>
      {state} {finishedAt !== null && <Time at={finishedAt} />}
    </>
  );
}

function answerOf({ lastStatus, lastError }: Delivery): string {
  if (lastStatus === null && lastError === null) return '–';
  return [lastStatus, lastError === null ? null : visible(lastError)]
    .filter((part) => part !== null)
    .join(' · ');
}
