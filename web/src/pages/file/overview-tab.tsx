import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { reportsOfFileQuery, routeQuery } from '../../api/files.ts';
import { isResearcher, useMe } from '../../api/session.ts';
import { Address } from '../../components/address.tsx';
import { FactList } from '../../components/fact-list.tsx';
import { Hash } from '../../components/hash.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Section } from '../../components/page.tsx';
import { Status } from '../../components/status.tsx';
import { count } from '../../text/format.ts';
import { visible } from '../../text/visible.ts';
import type { LookedUpFile } from './file.ts';
import styles from './file-page.module.css';

const SHOWN_C2S = 20;

/** What it is, how sure we are, where it talks to, and who was told: in one screen. */
export function OverviewTab({ file: { report, details } }: { readonly file: LookedUpFile }) {
  const c2s = details.c2s ?? [];
  return (
    <>
      <Section title="It talks to">
        {c2s.length === 0 ? (
          <p className={styles['quiet']}>No C2 address was found in its settings.</p>
        ) : (
          <ul className={styles['list']}>
            {c2s.slice(0, SHOWN_C2S).map(({ host, port, family }) => (
              <C2
                key={`${family} ${host} ${port}`}
                c2={`${host}:${port}`}
                sha256={report.sha256Hash}
              />
            ))}
            {c2s.length > SHOWN_C2S && (
              <li className={styles['quiet']}>and {c2s.length - SHOWN_C2S} more</li>
            )}
          </ul>
        )}
      </Section>
      <Why details={details} />
      <Reported sha256={report.sha256Hash} />
      <Section title="Hashes">
        <FactList
          facts={[
            { name: 'SHA-256', value: <Hash kind="SHA-256" value={report.sha256Hash} /> },
            { name: 'SHA-512', value: <Hash kind="SHA-512" value={report.sha512Hash} /> },
            { name: 'BLAKE3', value: <Hash kind="BLAKE3" value={report.blake3Hash} /> },
            { name: 'SHA-1', value: <Hash kind="SHA-1" value={report.sha1Hash} /> },
            { name: 'MD5', value: <Hash kind="MD5" value={report.mD5Hash} /> },
            { name: 'ssdeep', value: <Hash kind="ssdeep" value={report.ssDeep} /> },
          ]}
        />
      </Section>
    </>
  );
}

function C2({ c2, sha256 }: { readonly c2: string; readonly sha256: string }) {
  const { data } = useQuery(routeQuery(c2));
  const mayReport = isResearcher(useMe());
  const service = data?.service ?? undefined;
  return (
    <li className={styles['c2']}>
      <Address value={c2} />
      {data !== undefined && service === undefined && (
        <span className={styles['quiet']}>→ no feed</span>
      )}
      {service !== undefined && (
        <span>
          → feed{' '}
          <Link to="/feeds/$service" params={{ service }}>
            {service}
          </Link>
        </span>
      )}
      {service !== undefined && mayReport && (
        <LinkButton
          size="small"
          to="/feeds/$service/new"
          params={{ service }}
          search={{ c2, hash: sha256 }}
        >
          Report this
        </LinkButton>
      )}
    </li>
  );
}

const SHOWN_REASONS = 5;

/** The strongest evidence. */
function Why({ details }: { readonly details: LookedUpFile['details'] }) {
  const strongest = details.evidence
    .filter(({ heat }) => heat >= 4)
    .toSorted((one, other) => other.heat - one.heat);
  if (strongest.length === 0) return null;
  return (
    <Section title="Why we say so">
      <ul className={styles['list']}>
        {strongest.slice(0, SHOWN_REASONS).map(({ tag, source, offset, note, member }) => (
          <li key={`${tag} ${source} ${offset} ${member}`}>
            <b>{visible(tag)}</b> by {visible(source)}
            {note !== undefined && `: ${visible(note)}`}
            {offset !== undefined && ` (at 0x${offset.toString(16)})`}
            {member !== undefined && <span className={styles['quiet']}> in {visible(member)}</span>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

const SHOWN_REPORTS = 5;

function Reported({ sha256 }: { readonly sha256: string }) {
  const { data } = useQuery(reportsOfFileQuery(sha256));
  if (data === undefined || data.reports.length === 0) return null;
  const { reports, hasMore } = data;
  return (
    <Section title={`Reported ${count(reports.length, 'time')}${hasMore ? ' or more' : ''}`}>
      <ul className={styles['list']}>
        {reports.slice(0, SHOWN_REPORTS).map(({ id, service, c2Address, status, statusReason }) => (
          <li key={id} className={styles['c2']}>
            <Link to="/feeds/$service/reports/$id" params={{ service, id }}>
              {service}
            </Link>
            <Address value={c2Address} />
            <Status status={status} reason={statusReason} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
