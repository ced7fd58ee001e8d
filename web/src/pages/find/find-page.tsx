import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi, useLocation } from '@tanstack/react-router';
import type { Service } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import { servicesQuery } from '../../api/services.ts';
import { Page } from '../../components/page.tsx';
import { fromFragment } from '../../components/search/search-list.ts';
import { MAX_QUERY, nameOf, refang } from '../../components/search/search-target.ts';
import { isNamed } from '../../components/search/suggestions.ts';
import { Failure, Skeleton } from '../../components/states.tsx';
import { count } from '../../text/format.ts';
import { excerpt, visible } from '../../text/visible.ts';
import { Advice, NothingFound } from './advice.tsx';
import { ExportButtons } from './export-buttons.tsx';
import styles from './find-page.module.css';
import { ListForm } from './list-form.tsx';
import { ListResults } from './list-results.tsx';
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
    queryFn: () => client.search(query, { limit: MAX_RESULTS }),
    // Reports arrive all the time, so a repeated search is sent again.
    staleTime: 10_000,
    refetchOnMount: true,
  });
}

/** Reports and files that match a text. */
export function FindPage() {
  const { q = '' } = route.useSearch();
  const lines = useLocation({ select: ({ hash }) => fromFragment(hash), structuralSharing: true });
  const query = q.trim();
  if (lines !== undefined && lines.length > 0) return <ListResults lines={lines} />;
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
      <ListForm />
    </Page>
  );
}

function Results({ query }: { readonly query: string }) {
  const { data, error, refetch } = useQuery(searchQuery(query));
  const feeds = useFeeds(query);
  const shown = excerpt(visible(query), SHOWN_CHARACTERS);
  const { results = [], hasMore = false } = data ?? {};
  const samples = results.filter((one) => one.type === 'sample');
  const reports = results.filter((one) => one.type === 'report');
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
      {data !== undefined && results.length === 0 && feeds.length === 0 && (
        <NothingFound text={query} />
      )}
      {data !== undefined && results.length > 0 && (
        <p role="status" className={styles['counts']}>
          {hasMore ? 'The first ' : ''}
          {[
            samples.length > 0 && count(samples.length, 'file'),
            reports.length > 0 && count(reports.length, 'report'),
          ]
            .filter(Boolean)
            .join(' and ')}
          {hasMore ? '; there may be more' : ''}. Exact matches come first.
        </p>
      )}
      {data !== undefined && results.length > 0 && (
        <ExportButtons answers={[{ query, results, hasMore }]} json={data} />
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
