import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ExtendedReport, SetStatusBody } from '../../../../src/client/wire.ts';
import { reportQuery } from '../../api/reports.ts';
import { Button } from '../../components/button.tsx';
import { Skeleton } from '../../components/states.tsx';
import { defang } from '../../text/defang.ts';
import { count } from '../../text/format.ts';
import { Evidence } from '../report/evidence.tsx';
import { History } from '../report/history.tsx';
import { ReportFacts } from '../report/report-facts.tsx';
import styles from './desk-page.module.css';

interface Props {
  readonly report: ExtendedReport;
  /** How many reports an action changes. */
  readonly chosen: number;
  readonly onAct: (body: SetStatusBody) => void;
  readonly onReject: () => void;
}

/** What speaks for a report, and what to do with it. */
export function InboxDetail({ report, chosen, onAct, onReject }: Props) {
  const { service, id } = report;
  const { data } = useQuery(reportQuery(service, id));
  const several = chosen > 1 ? ` ${count(chosen, 'report')}` : '';
  return (
    <article className={styles['detail']} aria-label={`Report of ${defang(report.c2Address)}`}>
      <header className={styles['detailHead']}>
        <h2>
          <Link to="/feeds/$service/reports/$id" params={{ service, id }}>
            {defang(report.c2Address)}
          </Link>
        </h2>
        <div className={styles['actions']}>
          <Button title="a" onClick={() => onAct({ status: 'acknowledged' })}>
            Acknowledge{several}
          </Button>
          <Button
            look="primary"
            title="t"
            onClick={() => onAct({ status: 'actioned', reason: 'taken_down' })}
          >
            Taken down{several}
          </Button>
          <Button title="r" onClick={onReject}>
            Reject{several} …
          </Button>
        </div>
      </header>
      {data === undefined ? <Skeleton lines={2} /> : <Evidence report={data} />}
      <ReportFacts report={report} />
      <History service={service} id={id} />
    </article>
  );
}
