import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ServiceStatistics, TimesTaken } from '../../../../src/client/wire.ts';
import { SCORECARD_DAYS, scorecardQuery } from '../../api/trust.ts';
import { FactList } from '../../components/fact-list.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Page, Section } from '../../components/page.tsx';
import { DayBars } from '../../components/plots/day-bars.tsx';
import { TimeHistogram } from '../../components/plots/time-histogram.tsx';
import { Failure, Skeleton } from '../../components/states.tsx';
import { count, formatDuration, formatNumber } from '../../text/format.ts';
import { ConfirmationBars } from './outcomes.tsx';
import styles from './scorecard-page.module.css';

const route = getRouteApi('/signed-in/feeds/$service/scorecard');

/** How a service deals with its reports. */
export function ScorecardPage() {
  const { service } = route.useParams();
  const { data, error, refetch } = useQuery(scorecardQuery(service));
  return (
    <Page
      title={`Scorecard of ${service}`}
      actions={
        <LinkButton to="/feeds/$service" params={{ service }}>
          Feed
        </LinkButton>
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && (
        <Skeleton lines={12} label="Loading the scorecard" />
      )}
      {data !== undefined && <Scorecard shown={data} />}
    </Page>
  );
}

function Scorecard({ shown }: { readonly shown: ServiceStatistics }) {
  const { timeToAcknowledge, timeToAct, recurrences, reports, complete } = shown;
  const days = recurrences.days.map(({ day, count: value }) => ({ day, value }));
  return (
    <>
      {!complete && (
        <p role="status" className={styles['note']}>
          Older reports are still being counted: the figures are too low.
        </p>
      )}
      <div className={styles['columns']}>
        <Times title="Time to acknowledge" times={timeToAcknowledge} />
        <Times title="Time to act" times={timeToAct} />
      </div>
      <div className={styles['columns']}>
        <Section title="Backlog">
          <Backlog shown={shown} />
        </Section>
        <Section title={`What the files of ${count(reports.total, 'report')} say`}>
          <ConfirmationBars counts={reports} />
        </Section>
      </div>
      <Section
        title="Recurrences after a takedown"
        aside={<span>{formatNumber(recurrences.total)} in total</span>}
      >
        <DayBars
          label={`Recurrences per day over the last ${SCORECARD_DAYS} days`}
          unit="recurrence"
          days={days}
        />
        <p className={styles['note']}>
          Reports of a C2 on which the desk had acted before: it was back.
        </p>
      </Section>
    </>
  );
}

/** About: the times are counted in buckets. */
function Times({ title, times }: { readonly title: string; readonly times: TimesTaken }) {
  const { median, p90, count: answered, buckets } = times;
  return (
    <Section title={title}>
      {median === null || p90 === null ? (
        <p className={styles['note']}>No report was answered in {SCORECARD_DAYS} days.</p>
      ) : (
        <>
          <dl className={styles['figures']}>
            <div>
              <dt>Median</dt>
              <dd>about {formatDuration(1000 * median)}</dd>
            </div>
            <div>
              <dt>Nine of ten within</dt>
              <dd>about {formatDuration(1000 * p90)}</dd>
            </div>
          </dl>
          <div className={styles['histogram']}>
            <TimeHistogram label={`${title}: answers by the time they took`} buckets={buckets} />
          </div>
          <p className={styles['note']}>
            {count(answered, 'report')} in {SCORECARD_DAYS} days.
          </p>
        </>
      )}
    </Section>
  );
}

function Backlog({
  shown: { service, backlog, misrouted },
}: {
  readonly shown: ServiceStatistics;
}) {
  const linked = (status: 'open' | 'acknowledged') => (
    <Link to="/feeds/$service" params={{ service }} search={{ status }}>
      {count(backlog[status], 'report')}
    </Link>
  );
  return (
    <FactList
      facts={[
        { name: 'Open', value: linked('open') },
        { name: 'Acknowledged', value: linked('acknowledged') },
        {
          name: 'Misrouted',
          value: (
            <>
              <Link to="/feeds/$service" params={{ service }} search={{ misrouted: 'true' }}>
                {count(misrouted, 'report')}
              </Link>{' '}
              <span className={styles['note']}>for whose C2 another service answers</span>
            </>
          ),
        },
      ]}
    />
  );
}
