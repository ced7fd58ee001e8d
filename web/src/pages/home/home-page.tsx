import { isAdmin, isResearcher, useMe, useOptionalMe } from '../../api/session.ts';
import { Page } from '../../components/page.tsx';
import { Failure, Skeleton } from '../../components/states.tsx';
import { Figures } from './figures.tsx';
import { FirstRun } from './first-run/first-run.tsx';
import { useNewest } from './newest.ts';
import { NewestReports } from './newest-reports.tsx';
import { SearchAndDrop } from './search-and-drop.tsx';
import { Visitor } from './visitor.tsx';

export function HomePage() {
  return useOptionalMe() === undefined ? <Visitor /> : <Home />;
}

function Home() {
  const me = useMe();
  const newest = useNewest();
  const isEmpty = newest.data?.shown.length === 0 && newest.data.arrived.length === 0;
  // The first steps of a researcher are an area for files.
  const hasOwnArea = isEmpty && !isAdmin(me);
  return (
    <Page title="Rapsheet" head={<h1 className="visually-hidden">Rapsheet</h1>}>
      <SearchAndDrop takesFiles={isResearcher(me) && !hasOwnArea} />
      {isEmpty ? <FirstRun /> : <Reports newest={newest} />}
    </Page>
  );
}

function Reports({ newest }: { readonly newest: ReturnType<typeof useNewest> }) {
  const { data, error, refetch, show } = newest;
  return (
    <>
      <Figures />
      {data !== undefined && <NewestReports newest={data} onShow={show} />}
      {data === undefined && error !== null && (
        <Failure error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && (
        <Skeleton lines={14} label="Loading the newest reports" />
      )}
    </>
  );
}
