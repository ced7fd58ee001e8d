import { Link } from '@tanstack/react-router';
import type { ReportFound, SampleFound, Service } from '../../../../src/client/wire.ts';
import { Address } from '../../components/identifiers/address.tsx';
import { Hash } from '../../components/identifiers/hash.tsx';
import { Reporter } from '../../components/identifiers/reporter.tsx';
import { Heat, Tag } from '../../components/marks/heat.tsx';
import { Status } from '../../components/marks/status.tsx';
import { Time } from '../../components/marks/time.tsx';
import { Section } from '../../components/page.tsx';
import { formatNumber } from '../../text/format.ts';
import { brief } from '../../text/visible.ts';
import styles from './find-page.module.css';
import { groupByMatch } from './matches.ts';

const SHOWN_CHARACTERS = 100;
const SHOWN_TAGS = 3;

export function FeedsFound({ services }: { readonly services: readonly Service[] }) {
  return (
    <Section title={`Feeds (${formatNumber(services.length)})`}>
      <ul className={styles['list']}>
        {services.map(({ slug, name }) => (
          <li key={slug} className={styles['file']}>
            <Link to="/feeds/$service" params={{ service: slug }}>
              {short(name)}
            </Link>
            <code>{slug}</code>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function FilesFound({ samples }: { readonly samples: readonly SampleFound[] }) {
  return (
    <Section
      title={`Files (${formatNumber(samples.length)})`}
      aside={<span className={styles['quiet']}>Opening a file costs one unit.</span>}
    >
      {groupByMatch(samples).map(({ match, name, found }) => (
        <div key={match} className={styles['group']}>
          <h3>
            {name} <span className={styles['quiet']}>{formatNumber(found.length)}</span>
          </h3>
          <ul className={styles['list']}>
            {found.map(({ sha256Hash, fileName, tags }) => (
              <li key={sha256Hash} className={styles['file']}>
                <Hash value={sha256Hash} kind="SHA-256" isShort isLinked />
                <span className={styles['name']}>{short(fileName)}</span>
                <span className={styles['tags']}>
                  {tags.map((tag) => (
                    <Heat key={tag.name} {...tag} />
                  ))}
                </span>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </Section>
  );
}

export function ReportsFound({ reports }: { readonly reports: readonly ReportFound[] }) {
  return (
    <Section title={`Reports (${formatNumber(reports.length)})`}>
      {groupByMatch(reports).map(({ match, name, found }) => (
        <div key={match} className={styles['group']}>
          <h3>
            {name} <span className={styles['quiet']}>{formatNumber(found.length)}</span>
          </h3>
          <ul className={styles['list']}>
            {found.map(({ report }) => (
              <ReportRow key={report.id} report={report} />
            ))}
          </ul>
        </div>
      ))}
    </Section>
  );
}

function ReportRow({ report }: Pick<ReportFound, 'report'>) {
  const { id, service, status, c2Address, name, tags, reportedBy, reportedAt } = report;
  return (
    <li className={styles['report']}>
      <Status status={status} />
      <Address value={c2Address} />
      <span className={styles['name']}>
        <Link to="/feeds/$service/reports/$id" params={{ service, id }}>
          {short(name)}
        </Link>
      </span>
      <span className={styles['tags']}>
        {tags.slice(0, SHOWN_TAGS).map((tag) => (
          <Tag key={tag} name={tag} />
        ))}
      </span>
      <span className={styles['quiet']}>
        {service} · <Reporter name={reportedBy} /> · <Time at={reportedAt} />
      </span>
    </li>
  );
}

function short(text: string): string {
  return brief(text, SHOWN_CHARACTERS);
}
