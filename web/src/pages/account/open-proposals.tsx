import { useInfiniteQuery } from '@tanstack/react-query';
import { openProposalsQuery } from '../../api/proposals.ts';
import { Button } from '../../components/button.tsx';
import { Section } from '../../components/page.tsx';
import { ProposalList } from '../../components/proposals/proposal-list.tsx';
import { ReportAllProposals } from '../../components/proposals/report-all.tsx';
import { Failure } from '../../components/states.tsx';
import styles from './account-page.module.css';

/** What the uploads of the account propose, and nobody has decided yet. */
export function OpenProposals() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(openProposalsQuery);
  const proposals = data?.pages.flatMap((page) => page.proposals) ?? [];
  return (
    <Section title="Proposed reports" aside={<ReportAllProposals proposals={proposals} />}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data !== undefined && proposals.length === 0 && (
        <p className={styles['quiet']}>
          Nothing waits for you. For each C2 in the settings of a file that you upload, a report is
          proposed here.
        </p>
      )}
      {proposals.length > 0 && <ProposalList proposals={proposals} showsFile />}
      {hasNextPage && (
        <div>
          <Button size="small" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </Section>
  );
}
