import { getRouteApi, Link } from '@tanstack/react-router';
import { RapsheetError } from '../../../../src/client/error.ts';
import { useReport } from '../../api/reports.ts';
import { useMe } from '../../api/session.ts';
import { WhoAnswers } from '../../components/contacts/who-answers.tsx';
import { Confirmation, Misrouted } from '../../components/marks/confirmation.tsx';
import { KnownAs } from '../../components/marks/known-as.tsx';
import { Status } from '../../components/marks/status.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Failure, Skeleton } from '../../components/states.tsx';
import { defang } from '../../text/defang.ts';
import { visible } from '../../text/visible.ts';
import { DeleteReport } from './delete-report.tsx';
import { DeskActions } from './desk-actions.tsx';
import { Evidence } from './evidence.tsx';
import { History } from './history.tsx';
import { ReportFacts } from './report-facts.tsx';
import styles from './report-page.module.css';

const route = getRouteApi('/signed-in/feeds/$service/reports/$id');

export function ReportPage() {
  const { service, id } = route.useParams();
  const me = useMe();
  const { data: report, error, refetch } = useReport(service, id);
  // Somebody may delete it while it is shown.
  const isGone = error instanceof RapsheetError && error.status === 404;
  if (report === undefined || isGone)
    return (
      <Page title="Report">
        {error === null ? (
          <Skeleton lines={10} label="Loading the report" />
        ) : (
          <Failure error={error} onRetry={() => void refetch()} />
        )}
      </Page>
    );
  const isOwner = me.services.some(({ slug }) => slug === service);
  const mayDelete = isOwner || report.reportedBy === me.name;
  return (
    <Page
      title={`${visible(report.name)} at ${defang(report.c2Address)}`}
      head={
        <div className={styles['head']}>
          <h1>
            {visible(report.name)} at {defang(report.c2Address)}
          </h1>
          <Status status={report.status} reason={report.statusReason} />
          <Confirmation value={report.confirmation} />
          <Misrouted report={report} />
          <KnownAs known={report.knownAs} />
          <Link to="/feeds/$service" params={{ service }}>
            feed {service}
          </Link>
        </div>
      }
      actions={mayDelete && <DeleteReport report={report} />}
    >
      {isOwner && <DeskActions report={report} />}
      <div className={styles['columns']}>
        <Section title="Report">
          <ReportFacts report={report} />
        </Section>
        <div className={styles['side']}>
          <Evidence report={report} />
          <WhoAnswers address={report.c2Address} />
          <History service={service} id={id} />
        </div>
      </div>
    </Page>
  );
}
