import { Link } from '@tanstack/react-router';
import type { ExtendedReport } from '../../../../src/client/wire.ts';
import { Address } from '../../components/address.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { type Fact, FactList } from '../../components/fact-list.tsx';
import { Hash } from '../../components/hash.tsx';
import { Tag } from '../../components/heat.tsx';
import { Status } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { defangLink } from '../../text/defang.ts';
import { count } from '../../text/format.ts';
import { visible } from '../../text/visible.ts';
import styles from './report-page.module.css';

/** The fields of a report, and what became of it. */
export function ReportFacts({ report }: { readonly report: ExtendedReport }) {
  return <FactList facts={[...statusFacts(report), ...reportFacts(report)]} />;
}

function statusFacts(report: ExtendedReport): readonly Fact[] {
  const { status, statusReason, statusNote, statusBy, sightings, corroboration, recurrence } =
    report;
  const facts: Fact[] = [
    { name: 'Status', value: <Status status={status} reason={statusReason} /> },
  ];
  if (statusNote !== undefined)
    facts.push({ name: 'Note of the desk', value: visible(statusNote) });
  if (statusBy !== undefined) facts.push({ name: 'Set by', value: visible(statusBy) });
  facts.push({
    name: 'Seen',
    value: `${count(sightings, 'time')} in this feed; ${corroboration === 0 ? 'no other account' : count(corroboration, 'other account')} reported it`,
  });
  if (recurrence)
    facts.push({ name: 'Recurrence', value: 'This C2 was acted on before, and is back.' });
  return facts;
}

function reportFacts(report: ExtendedReport): readonly Fact[] {
  const { service, id, firstSeenID } = report;
  return [
    { name: 'C2', value: <Address value={report.c2Address} /> },
    { name: 'File', value: <Hash value={report.file256Hash} kind="SHA-256" isLinked /> },
    { name: 'Name', value: visible(report.name) },
    {
      name: 'Tags',
      value: (
        <span className={styles['tags']}>
          {report.tags.map((tag) => (
            <Tag key={tag} name={tag} />
          ))}
        </span>
      ),
    },
    { name: 'Confidence', value: report.confidenceScore },
    { name: 'Reporter', value: visible(report.reportedBy) },
    { name: 'Reported', value: <Time at={report.reportedAt} isFull /> },
    { name: 'Expires', value: <Time at={report.expiresAt} isFull /> },
    {
      name: 'Reference',
      value: (
        <span className={styles['reference']}>
          <code>{visible(defangLink(report.referenceLink))}</code>
          <CopyButton text={report.referenceLink} what="link" />
        </span>
      ),
    },
    {
      name: 'First report',
      value:
        firstSeenID === id ? (
          'this one'
        ) : (
          <Link to="/feeds/$service/reports/$id" params={{ service, id: firstSeenID }}>
            {firstSeenID}
          </Link>
        ),
    },
    { name: 'Id', value: <Hash value={id} kind="id" /> },
  ];
}
