import { useQuery } from '@tanstack/react-query';
import { sessionQuery, useMe } from '../../api/session.ts';
import { Page } from '../../components/page.tsx';
import { visible } from '../../text/visible.ts';
import { OwnReports } from './own-reports.tsx';
import { QuotaSection } from './quota-section.tsx';
import { SessionSection } from './session-section.tsx';
import { Tokens } from './tokens.tsx';

/** Tokens, quota, and what became of the account's own reports. */
export function AccountPage() {
  const me = useMe();
  // The balance may have changed elsewhere.
  useQuery({ ...sessionQuery, refetchOnMount: 'always' });
  return (
    <Page title={`Account ${visible(me.name)}`}>
      <QuotaSection me={me} />
      <Tokens />
      <OwnReports name={me.name} />
      <SessionSection me={me} />
    </Page>
  );
}
