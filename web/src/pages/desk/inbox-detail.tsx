import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ExtendedReport } from '../../../../src/client/wire.ts';
import { useReport } from '../../api/reports.ts';
import { IconButton } from '../../components/button.tsx';
import { Failure, Skeleton } from '../../components/states.tsx';
import { WhenSeen } from '../../components/when-seen.tsx';
import { defang } from '../../text/defang.ts';
import { visible } from '../../text/visible.ts';
import { Evidence } from '../report/evidence.tsx';
import { History } from '../report/history.tsx';
import { ReportFacts } from '../report/report-facts.tsx';
import { InboxActions } from './inbox-actions.tsx';
import styles from './inbox-detail.module.css';
import type { InboxState } from './use-inbox.ts';

interface Props {
  readonly report: ExtendedReport;
  readonly inbox: InboxState;
  /** All reports that match the filter, in words. */
  readonly matching: string | undefined;
  /** On narrow screens. */
  readonly onBack: (() => void) | undefined;
}

/** What speaks for a report, and what to do with it. Costs nothing. */
export function InboxDetail({ report, inbox, matching, onBack }: Props) {
  const { service, id, c2Address, name } = report;
  return (
    <article className={styles['detail']} aria-label={`Report of ${defang(c2Address)}`}>
      <header className={styles['detailHead']}>
        {onBack !== undefined && (
          <IconButton label="Back to the list" icon={<ArrowLeft aria-hidden />} onClick={onBack} />
        )}
        <div className={styles['subject']}>
          <h2>
            <Link to="/feeds/$service/reports/$id" params={{ service, id }}>
              {defang(c2Address)}
            </Link>
          </h2>
          <p>{visible(name)}</p>
        </div>
        <InboxActions inbox={inbox} status={report.status} matching={matching} />
      </header>
      <div className={styles['detailBody']} key={id}>
        <Details report={report} />
      </div>
    </article>
  );
}

/** The evidence is fetched when the reader stays at a report, not for each that `j` passes. */
const STAY_MS = 120;

function Details({ report }: { readonly report: ExtendedReport }) {
  const { service, id } = report;
  const [isStaying, setStaying] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setStaying(true), STAY_MS);
    return () => clearTimeout(timer);
  }, []);
  const { data, error, refetch } = useReport(service, id, isStaying);
  return (
    <>
      {data !== undefined && <Evidence report={data} />}
      {data === undefined && error === null && <Skeleton lines={3} label="Loading the evidence" />}
      {data === undefined && error !== null && (
        <Failure error={error} onRetry={() => void refetch()} />
      )}
      <ReportFacts report={report} />
      {isStaying && (
        <WhenSeen>
          <History service={service} id={id} />
        </WhenSeen>
      )}
    </>
  );
}
