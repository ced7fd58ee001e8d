import { Link } from '@tanstack/react-router';
import type { ExtendedReport } from '../../../../src/client/wire.ts';
import { type Fact, FactList } from '../../components/fact-list.tsx';
import { Address } from '../../components/identifiers/address.tsx';
import { CopyButton } from '../../components/identifiers/copy-button.tsx';
import { Hash } from '../../components/identifiers/hash.tsx';
import { Reporter } from '../../components/identifiers/reporter.tsx';
import { Confidence } from '../../components/marks/confidence.tsx';
import { Confirmation } from '../../components/marks/confirmation.tsx';
import { Tag } from '../../components/marks/heat.tsx';
import { KnownAs } from '../../components/marks/known-as.tsx';
import { Time } from '../../components/marks/time.tsx';
import { defangLink } from '../../text/defang.ts';
import { count } from '../../text/format.ts';
import { visible } from '../../text/visible.ts';
import styles from './report-page.module.css';

/** The fields of a report, and what became of it. */
export function ReportFacts({ report }: { readonly report: ExtendedReport }) {
  return <FactList facts={[...reportFacts(report), ...statusFacts(report)]} />;
}

function statusFacts(report: ExtendedReport): readonly Fact[] {
  const { statusNote, statusBy, sightings, corroboration, recurrence } = report;
  const facts: Fact[] = [];
  if (statusNote !== undefined)
    facts.push({ name: 'Note of the desk', value: visible(statusNote) });
  if (statusBy !== undefined) facts.push({ name: 'Set by', value: visible(statusBy) });
  facts.push(
    { name: 'Confirmation', value: <Confirmation value={report.confirmation} /> },
    { name: 'Route', value: <Route report={report} /> },
    ...(report.knownAs.length > 0
      ? [
          {
            name: 'Known as',
            value: (
              <span className={styles['tags']}>
                <KnownAs known={report.knownAs} />
              </span>
            ),
          },
        ]
      : []),
    {
      name: 'Sightings',
      value: (
        <Explained
          value={count(sightings, 'report')}
          meaning="of this C2 in this feed, this one included"
        />
      ),
    },
    {
      name: 'Corroboration',
      value: (
        <Explained
          value={corroboration === 0 ? 'none:' : count(corroboration, 'other account')}
          meaning={
            corroboration === 0
              ? 'no other account reported this C2 here'
              : 'reported the same C2 here, independently'
          }
        />
      ),
    },
    {
      name: 'Recurrence',
      value: (
        <Explained
          value={recurrence ? 'yes:' : 'no:'}
          meaning={
            recurrence
              ? 'the desk had acted on this C2 before, and it is back'
              : 'the desk had not acted on this C2 before'
          }
        />
      ),
    },
  );
  return facts;
}

/** Which service answers for the C2 by the hosts and networks it has declared. */
function Route({ report: { service, misrouted, routedTo } }: { readonly report: ExtendedReport }) {
  if (routedTo === null)
    return <span className={styles['quiet']}>no service declared this C2</span>;
  if (!misrouted) return <Explained value={service} meaning="answers for this C2" />;
  return (
    <span className={styles['misrouted']}>
      misrouted:{' '}
      <Link to="/feeds/$service" params={{ service: routedTo }}>
        {routedTo}
      </Link>{' '}
      answers for this C2, not {service}
    </span>
  );
}

function Explained({ value, meaning }: { readonly value: string; readonly meaning: string }) {
  return (
    <>
      {value} <span className={styles['quiet']}>{meaning}</span>
    </>
  );
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
    {
      name: 'Confidence',
      value: <Confidence service={service} score={report.confidenceScore} />,
    },
    { name: 'Reporter', value: <Reporter name={report.reportedBy} /> },
    { name: 'Reported', value: <Time at={report.reportedAt} isFull /> },
    { name: 'Expires', value: <Time at={report.expiresAt} isFull /> },
    {
      name: 'Reference',
      value: <Reference link={report.referenceLink} />,
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

/** A link to a file page of this server is followed; any other is shown as text. */
function Reference({ link }: { readonly link: string }) {
  const [, hash] = OWN_FILE.exec(link) ?? [];
  return (
    <span className={styles['reference']}>
      {hash !== undefined && link.startsWith(`${location.origin}/`) ? (
        <Link to="/files/$hash" params={{ hash }}>
          the page of the file here
        </Link>
      ) : (
        <code>{visible(defangLink(link))}</code>
      )}
      <CopyButton text={link} what="link" />
    </span>
  );
}

const OWN_FILE = /\/files\/([0-9a-f]{64})$/;
