import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { addressQuery } from '../../api/files.ts';
import { Address } from '../../components/identifiers/address.tsx';
import { Page } from '../../components/page.tsx';
import { Failure, Skeleton } from '../../components/states.tsx';
import { defang } from '../../text/defang.ts';
import { AddressSummary } from './address-summary.tsx';

const route = getRouteApi('/signed-in/c2/$c2');

/** What is known of an address over all feeds and files. It costs nothing. */
export function C2Page() {
  const { c2 } = route.useParams();
  const { data, error, refetch } = useQuery(addressQuery(c2));
  return (
    <Page
      title={defang(c2)}
      head={
        <h1>
          <Address value={c2} isLinked={false} />
        </h1>
      }
      actions={
        data !== undefined && (
          <Link to="/hosts/$host" params={{ host: data.host }}>
            All ports of {defang(data.host)}
          </Link>
        )
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && (
        <Skeleton lines={10} label="Loading what is known" />
      )}
      {data !== undefined && <AddressSummary known={data} filter={{ c2: data.c2 }} />}
    </Page>
  );
}
