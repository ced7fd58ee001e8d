import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { Proposal } from '../../../../src/client/wire.ts';
import { defang } from '../../text/defang.ts';
import { brief } from '../../text/visible.ts';
import { Button } from '../button.tsx';
import { Address } from '../identifiers/address.tsx';
import { Confidence } from '../marks/confidence.tsx';
import { Confirmation } from '../marks/confirmation.tsx';
import { REASONS } from './dismissal-reasons.ts';
import styles from './proposals.module.css';
import { ReportProposal } from './report-button.tsx';

const DismissDialog = lazy(() => import('./dismiss-dialog.tsx'));

interface Props {
  readonly proposals: readonly Proposal[];
  /** Whether to name the file of each: on pages that show several. */
  readonly showsFile?: boolean;
}

/** What would be reported, each with what can be done about it. */
export function ProposalList({ proposals, showsFile = false }: Props) {
  const [dismissed, setDismissed] = useState<Proposal>();
  return (
    <>
      <ul className={styles['list']} aria-label="Proposed reports">
        {proposals.map((proposal) => (
          <li key={proposal.id}>
            <Contents proposal={proposal} showsFile={showsFile} />
            <span className={styles['actions']}>
              {proposal.state === 'open' ? (
                <>
                  <ReportProposal proposal={proposal} />
                  <Button
                    size="small"
                    aria-label={`Dismiss ${defang(proposal.c2Address)}`}
                    onClick={() => setDismissed(proposal)}
                  >
                    Dismiss
                  </Button>
                </>
              ) : (
                <Decision proposal={proposal} />
              )}
            </span>
          </li>
        ))}
      </ul>
      {dismissed !== undefined && (
        <Suspense>
          <DismissDialog proposal={dismissed} onClose={() => setDismissed(undefined)} />
        </Suspense>
      )}
    </>
  );
}

const NAME_LENGTH = 80;

interface ContentsProps {
  readonly proposal: Proposal;
  readonly showsFile: boolean;
}

function Contents({ proposal, showsFile }: ContentsProps) {
  const { service, c2Address, family, tags, confidenceScore, confirmation } = proposal;
  return (
    <span className={styles['contents']}>
      <span className={styles['target']}>
        <Address value={c2Address} />
        <span>
          → feed{' '}
          <Link to="/feeds/$service" params={{ service }}>
            {service}
          </Link>
        </span>
      </span>
      <span className={styles['facts']}>
        {family !== null && <b>{brief(family)}</b>}
        {tags.length > 0 && <span>{tags.map((tag) => brief(tag)).join(', ')}</span>}
        <span>
          confidence <Confidence service={service} score={confidenceScore} />
        </span>
        <Confirmation value={confirmation} />
        {showsFile && (
          <Link to="/files/$hash" params={{ hash: proposal.file256Hash }}>
            {brief(proposal.fileName, NAME_LENGTH)}
          </Link>
        )}
      </span>
    </span>
  );
}

function Decision({ proposal: { report, reason, note } }: { readonly proposal: Proposal }) {
  if (report !== null)
    return (
      <Link to="/feeds/$service/reports/$id" params={report}>
        Reported
      </Link>
    );
  return (
    <span className={styles['quiet']} title={note === null ? undefined : brief(note)}>
      Dismissed{reason !== null && `: ${REASONS[reason]}`}
    </span>
  );
}
