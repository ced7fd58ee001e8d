import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { tokensQuery, usageQuery } from '../../api/account.ts';
import { openProposalsQuery } from '../../api/proposals.ts';
import { isResearcher, type Me, sessionQuery, useMe } from '../../api/session.ts';
import { Page } from '../../components/page.tsx';
import { Skeleton } from '../../components/states.tsx';
import { WhenSeen } from '../../components/when-seen.tsx';
import { visible } from '../../text/visible.ts';
import { OpenProposals } from './open-proposals.tsx';
import { OwnReports } from './own-reports.tsx';
import { QuotaSection } from './quota-section.tsx';
import { SessionSection } from './session-section.tsx';
import { Tokens } from './tokens.tsx';

const JUST_READ_MS = 3000;

/** Tokens, quota, and what became of the account's own reports. */
export function AccountPage() {
  const me = useMe();
  // The balance may have changed elsewhere since the application was opened.
  useQuery({ ...sessionQuery, staleTime: JUST_READ_MS, refetchOnMount: true });
  // Sections appear together, so that none moves when another has loaded.
  const usage = useQuery(usageQuery);
  const tokens = useInfiniteQuery(tokensQuery);
  const mayReport = isResearcher(me);
  const proposals = useInfiniteQuery({ ...openProposalsQuery, enabled: mayReport });
  // Not `isPending`: sections repeat failed requests and must stay mounted meanwhile. Otherwise
  // they would be mounted and repeat the request endlessly.
  const isLoaded = usage.isFetched && tokens.isFetched && (!mayReport || proposals.isFetched);
  return (
    <Page title={`Account ${visible(me.name)}`}>
      {isLoaded ? <Sections me={me} /> : <Skeleton lines={12} label="Loading your account" />}
    </Page>
  );
}

/** Reports are last: their list is long and would move everything below it when it loads. */
function Sections({ me }: { readonly me: Me }) {
  return (
    <>
      <QuotaSection me={me} />
      <Tokens />
      <SessionSection me={me} />
      {isResearcher(me) && <OpenProposals />}
      <WhenSeen>
        <OwnReports name={me.name} />
      </WhenSeen>
    </>
  );
}
