import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { FactList } from '../../components/fact-list.tsx';
import { Hash } from '../../components/identifiers/hash.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Confidence } from '../../components/marks/confidence.tsx';
import { Tag } from '../../components/marks/heat.tsx';
import { KnownAs } from '../../components/marks/known-as.tsx';
import { Time } from '../../components/marks/time.tsx';
import { Section } from '../../components/page.tsx';
import { explain } from '../../components/states.tsx';
import { defang, defangLink } from '../../text/defang.ts';
import { count } from '../../text/format.ts';
import { visible } from '../../text/visible.ts';
import styles from './new-report-page.module.css';
import type { Accepted, Previewed } from './use-preview.ts';

interface Props {
  readonly service: string;
  readonly previewed: Previewed;
}

/** What will be stored, in the words of the server, and what speaks for or against it. */
export function Preview({ service, previewed: { preview, error, isCurrent } }: Props) {
  return (
    <Section
      title="What will be stored"
      aside={
        <span className={styles['quiet']} role="status">
          {preview !== undefined && (isCurrent ? 'checked by the server' : 'checking …')}
        </span>
      }
    >
      {error !== null && (
        <p className={styles['error']} role="alert">
          {explain(error).text}
        </p>
      )}
      {preview === undefined ? (
        <p className={styles['quiet']}>
          Address and file are needed. The report appears here as the server would store it; nothing
          is stored before you send it.
        </p>
      ) : (
        <Stored service={service} preview={preview} />
      )}
    </Section>
  );
}

interface StoredProps {
  readonly service: string;
  readonly preview: Accepted;
}

function Stored({ service, preview }: StoredProps) {
  const { report } = preview;
  return (
    <>
      <Notes service={service} preview={preview} />
      <FactList
        facts={[
          { name: 'C2', value: <code>{defang(report.c2Address)}</code> },
          { name: 'File', value: <Hash value={report.file256Hash} kind="SHA-256" /> },
          { name: 'Name', value: visible(report.name) },
          {
            name: 'Tags',
            value:
              report.tags.length === 0 ? (
                'none'
              ) : (
                <span className={styles['suggestions']}>
                  {report.tags.map((tag) => (
                    <Tag key={tag} name={tag} />
                  ))}
                </span>
              ),
          },
          { name: 'Link', value: <code>{visible(defangLink(report.referenceLink))}</code> },
          {
            name: 'Confidence',
            value: <Confidence service={service} score={report.confidenceScore} />,
          },
          { name: 'Reporter', value: visible(report.reportedBy) },
          { name: 'Expires', value: <Time at={report.expiresAt} isFull /> },
          {
            name: 'First report',
            value:
              report.firstSeenID === null ? (
                'this one'
              ) : (
                <Link to="/feeds/$service/reports/$id" params={{ service, id: report.firstSeenID }}>
                  {report.firstSeenID}
                </Link>
              ),
          },
        ]}
      />
    </>
  );
}

/** What a careful reporter would look up before sending. */
function Notes({ service, preview }: StoredProps) {
  const { report, ownReports, c2Rejected, knownAs: known } = preview;
  const others = report.sightings - 1 - ownReports;
  return (
    <ul className={styles['notes']}>
      <RouteNote service={service} preview={preview} />
      {report.confirmation === 'confirmed' && (
        <Note kind="good">The settings of the file name this C2.</Note>
      )}
      {report.confirmation === 'contradicted' && (
        <Note kind="warning">The settings of the file name other addresses, not this C2.</Note>
      )}
      {ownReports > 0 && (
        <Note kind="warning">
          You have {count(ownReports, 'report')} of this C2 in this feed already. Another one counts
          as a new sighting.
        </Note>
      )}
      {others > 0 && (
        <Note kind="good">
          Others have {count(others, 'report')} of this C2 here: yours corroborates them.
        </Note>
      )}
      {known.length > 0 && (
        <Note kind="warning">
          Known lists have this address or file: <KnownAs known={known} />
        </Note>
      )}
      {c2Rejected && (
        <Note kind="warning">
          The desk has rejected this C2 as a false positive. Your report is stored, but readers do
          not block the C2 until the desk takes that back.
        </Note>
      )}
      {report.recurrence && (
        <Note kind="warning">The desk had acted on this C2 before: it is marked as back.</Note>
      )}
    </ul>
  );
}

function RouteNote({ service, preview }: StoredProps) {
  const { service: found, feed, pattern, verified, report } = preview;
  const state = verified ? 'verified' : 'declared';
  if (found === service)
    return (
      <Note kind="good">
        {service} answers for this address (<code>{pattern}</code>, {state}).
      </Note>
    );
  if (found === null && feed === service)
    return <Note kind="good">No service has declared this address: this is its feed.</Note>;
  if (found === null)
    return (
      <Note kind="warning">
        No service has declared this address. Is {service} the one that can take it down?{' '}
        {feed !== null && <Instead feed={feed} report={report} />}
      </Note>
    );
  return (
    <Note kind="warning">
      {found} answers for this address (<code>{pattern}</code>, {state}), not {service}.{' '}
      <Instead feed={found} report={report} />
    </Note>
  );
}

interface InsteadProps {
  readonly feed: string;
  readonly report: StoredProps['preview']['report'];
}

function Instead({ feed, report }: InsteadProps) {
  return (
    <LinkButton
      size="small"
      to="/feeds/$service/new"
      params={{ service: feed }}
      search={{ c2: report.c2Address, hash: report.file256Hash }}
    >
      Report to {feed} instead
    </LinkButton>
  );
}

function Note({
  kind,
  children,
}: {
  readonly kind: 'good' | 'warning';
  readonly children: ReactNode;
}) {
  return (
    <li className={styles[kind]}>
      <span aria-hidden>{kind === 'good' ? '✓' : '!'}</span>
      <span>{children}</span>
    </li>
  );
}
