import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Service } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import { servicesQuery } from '../../api/services.ts';
import { Page } from '../../components/page.tsx';
import { MAX_QUERY, nameOf, refang } from '../../components/search/search-target.ts';
import { isNamed } from '../../components/search/suggestions.ts';
import { Failure, Skeleton } from '../../components/states.tsx';
import { count } from '../../text/format.ts';
import { excerpt, visible } from '../../text/visible.ts';
import { Advice, NothingFound } from './advice.tsx';
import styles from './find-page.module.css';
import { NamedPage } from './named-page.tsx';
import { FeedsFound, FilesFound, ReportsFound } from './results.tsx';

const route = getRouteApi('/signed-in/find');
const MAX_RESULTS = 100;
const SHOWN_CHARACTERS = 80;

/** Free, unlike a lookup. */
function searchQuery(text: string) {
  // The server reads defanged addresses; links around them are removed here.
  const query = nameOf(text) === undefined ? text : refang(text);
  return queryOptions({
    queryKey: ['search', query],
    queryFn: async () => (await client.search(query, { limit: MAX_RESULTS })).results,
    // Reports arrive all the time, so a repeated search is sent again.
    staleTime: 10_000,
    refetchOnMount: true,
  });
}

/** Reports and files that match a text. */
export function FindPage() {
  const { q = '' } = route.useSearch();
  const query = q.trim();
  if (query !== '' && query.length <= MAX_QUERY) return <Results query={query} />;
  return (
    <Page title="Search">
      <NamedPage text={query} />
      <Advice
        title={
          query === ''
            ? 'What are you looking for?'
            : `The search takes at most ${MAX_QUERY} characters`
        }
      />
    </Page>
  );
}

function Results({ query }: { readonly query: string }) {
  const { data, error, refetch } = useQuery(searchQuery(query));
  const feeds = useFeeds(query);
  const shown = excerpt(visible(query), SHOWN_CHARACTERS);
  const samples = (data ?? []).filter((one) => one.type === 'sample');
  const reports = (data ?? []).filter((one) => one.type === 'report');
  return (
    <Page
      title={`Search for ${shown.text}${shown.isCut ? '…' : ''}`}
      head={
        <h1 className={styles['title']}>
          Search for “{shown.text}
          {shown.isCut && '…'}”
        </h1>
      }
    >
      <NamedPage text={query} />
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Skeleton lines={8} label="Searching" />}
      {feeds.length > 0 && <FeedsFound services={feeds} />}
      {data?.length === 0 && feeds.length === 0 && <NothingFound text={query} />}
      {data !== undefined && data.length > 0 && (
        <p role="status" className={styles['counts']}>
          {data.length >= MAX_RESULTS ? 'The first ' : ''}
          {[
            samples.length > 0 && count(samples.length, 'file'),
            reports.length > 0 && count(reports.length, 'report'),
          ]
            .filter(Boolean)
            .join(' and ')}
          . Exact matches come first.
        </p>
      )}
      {samples.length > 0 && <FilesFound samples={samples} />}
      {reports.length > 0 && <ReportsFound reports={reports} />}
    </Page>
  );
}

/** The services whose name has the text in it. */
function useFeeds(text: string): readonly Service[] {
  const { data } = useQuery(servicesQuery);
  return (data ?? []).filter((service) => isNamed(service, text));
}
