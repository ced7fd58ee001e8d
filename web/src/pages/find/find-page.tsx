import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReportFound, SampleFound } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import { Address } from '../../components/address.tsx';
import { Hash } from '../../components/hash.tsx';
import { Heat } from '../../components/heat.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Empty, Failure, Skeleton } from '../../components/states.tsx';
import { Status } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { visible } from '../../text/visible.ts';
import styles from './find-page.module.css';

const route = getRouteApi('/signed-in/find');

function searchQuery(text: string) {
  return queryOptions({
    queryKey: ['search', text],
    queryFn: async () => (await client.search(text, { limit: 100 })).results,
    // Reports arrive all the time: a search asked again is answered again.
    staleTime: 10_000,
    refetchOnMount: true,
    enabled: text !== '',
  });
}

/** Reports and samples that match a text. Searching is free. */
export function FindPage() {
  const { q = '' } = route.useSearch();
  const { data, error, refetch } = useQuery(searchQuery(q));
  return (
    <Page title={q === '' ? 'Search' : `Search for ${visible(q)}`}>
      {q === '' && (
        <Empty title="What are you looking for?">
          <p>Type a hash, an address, a host, a tag, a family or the name of an account above.</p>
        </Empty>
      )}
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {q !== '' && error === null && data === undefined && <Skeleton lines={8} label="Searching" />}
      {data?.length === 0 && (
        <Empty title="Nothing was found">
          <p>
            Search looks for whole hashes and addresses, hosts with their subdomains, and words of
            tags and names.
          </p>
        </Empty>
      )}
      {data !== undefined && <Results results={data} />}
    </Page>
  );
}

function Results({ results }: { readonly results: readonly (ReportFound | SampleFound)[] }) {
  const samples = results.filter((one) => one.type === 'sample');
  const reports = results.filter((one) => one.type === 'report');
  return (
    <>
      {samples.length > 0 && (
        <Section title="Files">
          <ul className={styles['list']}>
            {samples.map(({ sha256Hash, fileName, tags, match }) => (
              <li key={sha256Hash} className={styles['row']}>
                <Hash value={sha256Hash} kind="SHA-256" isShort isLinked />
                <span className={styles['name']}>{visible(fileName)}</span>
                {tags.map((tag) => (
                  <Heat key={tag.name} {...tag} />
                ))}
                <span className={styles['match']}>by {match}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {reports.length > 0 && (
        <Section title="Reports">
          <ul className={styles['list']}>
            {reports.map(({ report, match }) => (
              <li key={report.id} className={styles['row']}>
                <Status status={report.status} />
                <Address value={report.c2Address} />
                <Link
                  to="/feeds/$service/reports/$id"
                  params={{ service: report.service, id: report.id }}
                  className={styles['name']}
                >
                  {visible(report.name)}
                </Link>
                <span>{report.service}</span>
                <Time at={report.reportedAt} />
                <span className={styles['match']}>by {match}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}
