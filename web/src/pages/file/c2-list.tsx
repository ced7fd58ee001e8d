import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ShownC2 } from '../../../../src/client/wire.ts';
import { addressQuery } from '../../api/files.ts';
import { proposalsOfFileQuery } from '../../api/proposals.ts';
import type { ReportableC2 } from '../../api/reportable-c2.ts';
import { isResearcher, useMe } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { FirstContact } from '../../components/contacts/who-answers.tsx';
import { Address } from '../../components/identifiers/address.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Section } from '../../components/page.tsx';
import { ReportAllProposals } from '../../components/proposals/report-all.tsx';
import { defang } from '../../text/defang.ts';
import { brief } from '../../text/visible.ts';
import type { FileC2, LookedUpFile } from './file.ts';
import { c2sOf } from './file.ts';
import styles from './overview.module.css';
import { ReportedIn } from './reported-in.tsx';
import { reportedStates } from './reported-states.ts';
import { IMPORTED } from './verdict.ts';

/** As many are asked for at once. */
const STEP = 9;

/** Where the file talks to, who was told, and who can take each address down. */
export function C2List({ file }: { readonly file: LookedUpFile }) {
  const [shownCount, setShownCount] = useState(STEP);
  const mayReport = isResearcher(useMe());
  const sha256 = file.report.sha256Hash;
  const c2s = c2sOf(file.details);
  const shown = c2s.slice(0, shownCount);
  const known = useQueries({ queries: shown.map(({ address }) => addressQuery(address)) });
  const unreported = useUnreported(
    sha256,
    shown.map((c2, index) => ({ c2, known: known[index]?.data })),
  );
  const hasFamilies = new Set(c2s.map(({ family }) => family)).size > 1;
  return (
    <Section
      title="It talks to"
      aside={
        mayReport && <ReportAllProposals proposals={unreported} which=" that are not reported" />
      }
    >
      {c2s.length === 0 && (
        <p className={styles['quiet']}>
          {file.isImported ? IMPORTED : 'No C2 address was found in its settings.'}
        </p>
      )}
      <ul className={styles['c2s']}>
        {shown.map((c2, index) => (
          <li key={c2.address}>
            <span className={styles['c2']}>
              <Address value={c2.address} />
              {hasFamilies && <span className={styles['quiet']}>{brief(c2.family)}</span>}
            </span>
            <Known address={c2.address} known={known[index]?.data} sha256={sha256} />
          </li>
        ))}
      </ul>
      {shown.length < c2s.length && (
        <div>
          <Button size="small" look="quiet" onClick={() => setShownCount(shownCount + MORE)}>
            Show {Math.min(MORE, c2s.length - shown.length)} more of {c2s.length}
          </Button>
        </div>
      )}
    </Section>
  );
}

const MORE = 50;

interface KnownC2 {
  readonly c2: FileC2;
  readonly known: ShownC2 | undefined;
}

/** Those that belong to a feed and none has, with what was proposed to this account. */
function useUnreported(sha256: string, c2s: readonly KnownC2[]): readonly ReportableC2[] {
  const { data: proposals = [] } = useQuery({
    ...proposalsOfFileQuery(sha256),
    enabled: isResearcher(useMe()),
  });
  return c2s.flatMap(({ c2: { address, family }, known }): readonly ReportableC2[] => {
    const service = known?.feed ?? null;
    if (service === null || reportedStates(known?.reports.newest ?? []).length > 0) return [];
    const proposal = proposals.find((one) => one.c2Address === address && one.service === service);
    // A dismissed one stays dismissed.
    if (proposal !== undefined) return proposal.state === 'open' ? [proposal] : [];
    return [{ service, c2Address: address, file256Hash: sha256, tags: [family.toLowerCase()] }];
  });
}

const UNDECLARED = 'no service has declared it';

interface KnownProps {
  readonly address: string;
  readonly known: ShownC2 | undefined;
  readonly sha256: string;
}

function Known({ address, known, sha256 }: KnownProps) {
  const mayReport = isResearcher(useMe());
  if (known === undefined) return null;
  const { feed, verified, reports } = known;
  const state = verified ? 'verified' : 'declared';
  const states = reportedStates(reports.newest);
  const action = states.length === 0 ? 'Report' : 'Report again';
  const isUndecided = states.some(({ status }) => status === 'open' || status === 'acknowledged');
  return (
    <>
      <span className={styles['route']}>
        {states.length > 0 && <ReportedIn states={states} />}
        {states.length === 0 && feed === null && (
          <span className={styles['quiet']} title="A private or reserved address, or a local name">
            → no feed
          </span>
        )}
        {known.service === null && <FirstContact address={address} />}
        {states.length === 0 && feed !== null && (
          <span>
            → feed{' '}
            <Link to="/feeds/$service" params={{ service: feed }}>
              {feed}
            </Link>{' '}
            <span className={styles['quiet']}>({known.service === null ? UNDECLARED : state})</span>
          </span>
        )}
      </span>
      {feed !== null && mayReport && !isUndecided && (
        <LinkButton
          size="small"
          look={states.length === 0 ? 'plain' : 'quiet'}
          to="/feeds/$service/new"
          params={{ service: feed }}
          search={{ c2: address, hash: sha256 }}
          aria-label={`${action} ${defang(address)}`}
        >
          {action}
        </LinkButton>
      )}
    </>
  );
}
