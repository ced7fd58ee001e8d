import { Link } from '@tanstack/react-router';
import type { ExtendedReport } from '../../../../src/client/wire.ts';
import { Button } from '../../components/button.tsx';
import { Address } from '../../components/identifiers/address.tsx';
import { Reporter } from '../../components/identifiers/reporter.tsx';
import { Confirmation, Misrouted } from '../../components/marks/confirmation.tsx';
import { KnownAs } from '../../components/marks/known-as.tsx';
import { Status } from '../../components/marks/status.tsx';
import { TagRow } from '../../components/marks/tag-row.tsx';
import { Time } from '../../components/marks/time.tsx';
import { Section } from '../../components/page.tsx';
import { count } from '../../text/format.ts';
import { brief } from '../../text/visible.ts';
import { MAX_SHOWN, type NewestList } from './newest-list.ts';
import styles from './newest-reports.module.css';

const SHOWN_CHARACTERS = 80;

interface Props {
  readonly newest: NewestList;
  readonly onShow: () => void;
}

/** The newest reports of all feeds. New ones wait behind a button, so that nothing moves. */
export function NewestReports({ newest: { shown, arrived }, onShow }: Props) {
  const more = arrived.length === MAX_SHOWN ? ' or more' : '';
  return (
    <Section
      title="Newest reports"
      aside={
        <div className={styles['aside']}>
          <Link to="/feeds">All feeds</Link>
          <span role="status">
            {arrived.length > 0 && (
              <Button size="small" look="primary" onClick={onShow}>
                Show {count(arrived.length, 'new report')}
                {more}
              </Button>
            )}
          </span>
        </div>
      }
    >
      <table className={styles['table']} aria-label="Newest reports">
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">C2</th>
            <th scope="col">Feed</th>
            <th scope="col">Name</th>
            <th scope="col" className={styles['wide']}>
              Confirmation
            </th>
            <th scope="col" className={styles['wide']}>
              Tags
            </th>
            <th scope="col" className={styles['medium']}>
              Reporter
            </th>
            <th scope="col" className={styles['age']}>
              Reported
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((report) => (
            <Row key={report.id} report={report} />
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Row({ report }: { readonly report: ExtendedReport }) {
  const { id, service, status, c2Address, name, tags, reportedBy, reportedAt } = report;
  const page = { to: '/feeds/$service/reports/$id', params: { service, id } } as const;
  return (
    <tr>
      <td>
        <Status status={status} />
      </td>
      <td>
        <span className={styles['c2']}>
          <Address value={c2Address} />
          <Misrouted report={report} />
          <KnownAs known={report.knownAs} />
        </span>
      </td>
      <td>
        <Link to="/feeds/$service" params={{ service }}>
          {service}
        </Link>
      </td>
      <td>
        <Link {...page}>{brief(name, SHOWN_CHARACTERS)}</Link>
      </td>
      <td className={styles['wide']}>
        <Confirmation value={report.confirmation} />
      </td>
      <td className={styles['wide']}>
        <TagRow tags={tags} />
      </td>
      <td className={styles['medium']}>
        <Reporter name={reportedBy} />
      </td>
      <td className={styles['age']}>
        <Time at={reportedAt} />
      </td>
    </tr>
  );
}
