import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { reportsOfFileQuery } from '../../api/files.ts';
import { FactList } from '../../components/fact-list.tsx';
import { Address } from '../../components/identifiers/address.tsx';
import { Hash } from '../../components/identifiers/hash.tsx';
import { Status } from '../../components/marks/status.tsx';
import { Section } from '../../components/page.tsx';
import { explain } from '../../components/states.tsx';
import { VerdictBox } from '../../components/verdict.tsx';
import { count } from '../../text/format.ts';
import { brief } from '../../text/visible.ts';
import { C2List } from './c2-list.tsx';
import { EntropyPlot } from './entropy-plot.tsx';
import { sectionsOf } from './facts.ts';
import type { LookedUpFile } from './file.ts';
import styles from './overview.module.css';
import { ProposedReports } from './proposed-reports.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { IMPORTED, verdictOf } from './verdict.ts';

/** What it is, how sure we are, where it talks to, and who was told: in one screen. */
export function OverviewTab({ file }: { readonly file: LookedUpFile }) {
  const { report, details } = file;
  const verdict = verdictOf(file);
  const sections = sectionsOf(details.facts);
  return (
    <>
      <VerdictBox level={verdict.level} title={verdict.title}>
        {verdict.text}
      </VerdictBox>
      <div className={styles['columns']}>
        <C2List file={file} />
        <div className={styles['column']}>
          <Why file={file} />
          <Reported sha256={report.sha256Hash} />
        </div>
      </div>
      <ProposedReports sha256={report.sha256Hash} />
      <Section title="Hashes">
        <FactList
          facts={[
            { name: 'SHA-256', value: <Hash kind="SHA-256" value={report.sha256Hash} /> },
            { name: 'SHA-512', value: <Hash kind="SHA-512" value={report.sha512Hash} /> },
            { name: 'BLAKE3', value: <Hash kind="BLAKE3" value={report.blake3Hash} /> },
            { name: 'SHA-1', value: <Hash kind="SHA-1" value={report.sha1Hash} /> },
            { name: 'MD5', value: <Hash kind="MD5" value={report.mD5Hash} /> },
            { name: 'ssdeep', value: <Hash kind="ssdeep" value={report.ssDeep} /> },
            ...(details.tlsh === undefined
              ? []
              : [{ name: 'TLSH', value: <Hash kind="TLSH" value={details.tlsh} /> }]),
          ]}
        />
      </Section>
      {sections.length > 0 && (
        <Section title="Entropy along the file">
          <EntropyPlot sections={sections} sizeBytes={report.sizeInBytes} />
        </Section>
      )}
      {Object.keys(report.configs).length > 0 && (
        <div className={styles['paper']}>
          <SettingsTab file={file} />
        </div>
      )}
    </>
  );
}

const SHOWN_REASONS = 5;

/** The strongest evidence. */
function Why({ file: { details, isImported } }: { readonly file: LookedUpFile }) {
  const strongest = details.evidence
    .filter(({ heat }) => heat >= 4)
    .toSorted((one, other) => other.heat - one.heat);
  return (
    <Section title="Why we say so">
      {strongest.length === 0 && (
        <p className={styles['quiet']}>
          {isImported ? IMPORTED : 'No finding is hotter than 3 of 10.'}
        </p>
      )}
      <ul className={styles['reasons']}>
        {strongest.slice(0, SHOWN_REASONS).map(({ tag, source, offset, note, member }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
          <li key={index}>
            <b>{brief(tag)}</b> <span className={styles['quiet']}>by {brief(source)}</span>
            {note !== undefined && `: ${brief(note)}`}
            {offset !== undefined && (
              <span className={styles['quiet']}> (at 0x{offset.toString(16)})</span>
            )}
            {member !== undefined && <span className={styles['quiet']}> in {brief(member)}</span>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

const SHOWN_REPORTS = 5;

/** Who was told. */
function Reported({ sha256 }: { readonly sha256: string }) {
  const { data, error } = useQuery(reportsOfFileQuery(sha256));
  if (data === undefined || data.reports.length === 0)
    return (
      <Section title="Reported">
        <p className={styles['quiet']}>
          {error === null ? 'No feed has a report of this file.' : explain(error).text}
        </p>
      </Section>
    );
  const { reports, hasMore } = data;
  return (
    <Section
      title={`Reported ${count(reports.length, 'time')}${hasMore ? ' or more' : ''}`}
      aside={
        reports.length > SHOWN_REPORTS && (
          <Link to="." search={{ tab: 'reports' }}>
            All reports
          </Link>
        )
      }
    >
      <ul className={styles['reported']}>
        {reports.slice(0, SHOWN_REPORTS).map(({ id, service, c2Address, status, statusReason }) => (
          <li key={id}>
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
