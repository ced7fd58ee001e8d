import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ShownReport } from '../../../../src/client/wire.ts';
import { fileHintQuery } from '../../api/reports.ts';
import { Heat } from '../../components/marks/heat.tsx';
import { Section } from '../../components/page.tsx';
import { visible } from '../../text/visible.ts';
import styles from './report-page.module.css';

type Report = ShownReport['report'];

const CONFIRMATIONS = {
  confirmed: { sign: '✓', text: 'The settings of the file name this C2.' },
  contradicted: { sign: '✗', text: 'The settings of the file name other addresses, not this C2.' },
  unknown: {
    sign: '?',
    text: 'Nothing confirms it: the file has no analysis here.',
  },
} as const;

const NO_SETTINGS =
  'Nothing confirms or contradicts it: our analysis of the file found no settings with such addresses.';

/** What speaks for the report. It costs nothing: only the page of the file does. */
export function Evidence({ report }: { readonly report: Report }) {
  const { data: file } = useQuery(fileHintQuery(report.file256Hash));
  const { sign, text } = CONFIRMATIONS[report.confirmation];
  const isAnalysed = file !== undefined && file !== null;
  return (
    <Section title="Evidence">
      <p className={`${styles['verdict']} ${styles[report.confirmation]}`}>
        <span aria-hidden>{sign}</span>
        <span>
          {report.confirmation === 'unknown' && isAnalysed ? NO_SETTINGS : text}
          {report.evidence?.family && ` Family: ${visible(report.evidence.family)}.`}
        </span>
      </p>
      {report.c2Rejected && (
        <p className={`${styles['verdict']} ${styles['contradicted']}`}>
          <span aria-hidden>✗</span>
          <span>
            The desk has rejected this C2 as a false positive. Readers do not block it, whoever
            reports it, until the desk sets one of its reports to open, acknowledged or actioned.
          </span>
        </p>
      )}
      {file === null && <p className={styles['quiet']}>Nobody has uploaded the file here.</p>}
      {file !== undefined && file !== null && (
        <p className={styles['file']}>
          <span className={styles['name']}>{visible(file.fileName)}</span>
          {file.tags.map((tag) => (
            <Heat key={tag.name} {...tag} />
          ))}
        </p>
      )}
      <p>
        <Link to="/files/$hash" params={{ hash: report.file256Hash }}>
          Open the file
        </Link>{' '}
        <span className={styles['quiet']}>(costs one unit)</span>
      </p>
      <p>
        <Link to="/c2/$c2" params={{ c2: report.c2Address }}>
          All that is known of this C2
        </Link>{' '}
        <span className={styles['quiet']}>(free)</span>
      </p>
    </Section>
  );
}
