import { useOptionalMe } from '../../api/session.ts';
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
  return (
    <Page title="Rapsheet" head={<h1 className="visually-hidden">Rapsheet</h1>}>
      <SearchAndDrop />
      <Content />
    </Page>
  );
}

/** An installation without a report shows its first steps instead. */
function Content() {
  const { data, error, refetch, show } = useNewest();
  if (data?.shown.length === 0 && data.arrived.length === 0) return <FirstRun />;
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
