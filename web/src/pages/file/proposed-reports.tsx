import { useQuery } from '@tanstack/react-query';
import { proposalsOfFileQuery } from '../../api/proposals.ts';
import { isResearcher, useMe } from '../../api/session.ts';
import { Section } from '../../components/page.tsx';
import { ProposalList } from '../../components/proposals/proposal-list.tsx';

/** For a researcher who uploaded the file; nothing for others. */
export function ProposedReports({ sha256 }: { readonly sha256: string }) {
  const { data } = useQuery({ ...proposalsOfFileQuery(sha256), enabled: isResearcher(useMe()) });
  if (data === undefined || data.length === 0) return null;
  return (
    <Section title="Proposed reports">
      <ProposalList proposals={data} />
    </Section>
  );
}
