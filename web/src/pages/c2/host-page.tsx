import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import { Address } from '../../components/identifiers/address.tsx';
import { Page } from '../../components/page.tsx';
import { Failure, Skeleton } from '../../components/states.tsx';
import { defang } from '../../text/defang.ts';
import { AddressSummary } from './address-summary.tsx';

const route = getRouteApi('/signed-in/hosts/$host');

function hostQuery(host: string) {
  return queryOptions({
    queryKey: ['host', host],
    queryFn: () => client.showHost(host),
    staleTime: 30_000,
    refetchOnMount: true,
  });
}

export function HostPage() {
  const { host } = route.useParams();
  const { data, error, refetch } = useQuery(hostQuery(host));
  return (
    <Page
      title={defang(host)}
      head={
        <h1>
          <Address value={host} isLinked={false} />
        </h1>
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && (
        <Skeleton lines={10} label="Loading what is known" />
      )}
      {data !== undefined && <AddressSummary known={data} filter={{ host: data.host }} />}
    </Page>
  );
}
