import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReporterStatistics } from '../../../../src/client/wire.ts';
import { reporterQuery } from '../../api/trust.ts';
import { Page, Section } from '../../components/page.tsx';
import { IntervalList } from '../../components/plots/interval-list.tsx';
import { Empty, Failure, Skeleton } from '../../components/states.tsx';
import { count } from '../../text/format.ts';
import { formatPrecision } from '../../text/precision.ts';
import { visible } from '../../text/visible.ts';
import { ConfirmationBars, OutcomeBars } from './outcomes.tsx';
import styles from './reporter-page.module.css';

const route = getRouteApi('/signed-in/reporters/$name');

/** How good the reports of a reporter are. */
export function ReporterPage() {
  const { name } = route.useParams();
  const { data, error, refetch } = useQuery(reporterQuery(name));
  return (
    <Page title={`Reporter ${visible(name)}`}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Skeleton lines={10} label="Loading the figures" />}
      {data !== undefined && <Figures shown={data} />}
    </Page>
  );
}

function Figures({ shown }: { readonly shown: ReporterStatistics }) {
  const { totals, complete } = shown;
  if (totals.reports === 0 && shown.precision === null && complete)
    return (
      <Empty title="No reports">
        <p>{visible(shown.reporter)} has no report in any feed.</p>
      </Empty>
    );
  return (
    <>
      {!complete && (
        <p role="status" className={styles['note']}>
          Older reports are still being counted: the figures are too low.
        </p>
      )}
      <Section title="Precision">
        <PrecisionBars shown={shown} />
        <p className={styles['note']}>
          The share of reports on which desks acted, among those that they judged. The whiskers are
          the interval of 95 %: the more reports are judged, the shorter. Duplicates and rejections
          without a reason do not count, nor do answers in a feed that the reporter owns. Judgements
          of deleted reports stay.
        </p>
      </Section>
      <div className={styles['columns']}>
        <Section title={`What became of ${count(totals.reports, 'report')}`}>
          <OutcomeBars totals={totals} />
        </Section>
        <Section title="What the files say">
          <ConfirmationBars counts={totals} />
          <p className={styles['note']}>
            Confirmed: the settings in the file name the C2. Contradicted: they name only others.
          </p>
        </Section>
      </div>
    </>
  );
}

/** In total, and in each feed with its reports. */
function PrecisionBars({ shown }: { readonly shown: ReporterStatistics }) {
  const { precision, services, reporter } = shown;
  return (
    <IntervalList
      label="Precision with its interval"
      rows={[
        { id: '', label: <b>All feeds</b>, share: precision, text: formatPrecision(precision) },
        ...services.map((one) => ({
          id: one.service,
          label: (
            <Link to="/feeds/$service" params={{ service: one.service }} search={{ reporter }}>
              {one.service}
            </Link>
          ),
          share: one.precision,
          text: formatPrecision(one.precision),
        })),
      ]}
    />
  );
}
